#pragma once

#include <clade/cluster.h>

#include <span>
#include <string>
#include <vector>

namespace clade {

// A row per run: mean and standard deviation of accuracy, NMI and objective over the starts. A single run also shows
// the sizes of the clusters of its best start; several runs show the best of them.
std::string cluster_text(std::span<const ClusterRun> runs);

// What is odd about a run: clusters that must stay empty, starts that did not come to rest.
std::vector<std::string> cluster_notes(const ClusterRun& run, const ClusterOptions& options);

// Runs with the facts about them that a report shows.
struct ClusterReport {
  std::vector<ClusterRun> runs;
  ClusterOptions options;
  Index samples = 0;
  bool is_sweep = false;  // over the number of features
  std::vector<std::string> notes;
  std::string file;  // that the clusters were written to; empty: none
};

// {"samples", "clusters", "repeats", "notes", "file"}, and for a single run
//
//   {"features", "accuracy", "accuracy_deviation", "nmi", "nmi_deviation", "objective", "objective_deviation",
//    "best_start", "best_objective", "sizes", "starts": [{"objective", "accuracy", "nmi", "rounds", "converged"}]}
//
// or for a sweep "sweep", a list of these. Accuracy and NMI are null without classes.
std::string cluster_json(const ClusterReport& report);

}  // namespace clade
