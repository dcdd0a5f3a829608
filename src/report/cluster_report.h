#pragma once

#include <clade/cluster.h>

#include <span>
#include <string>
#include <vector>

namespace clade {

// A row per run: mean and standard deviation over the starts of accuracy, NMI and objective. For a single run also the
// sizes of the clusters of the best start; for several the best of them.
std::string cluster_text(std::span<const ClusterRun> runs);

// Runs with what they are about.
struct ClusterReport {
  std::vector<ClusterRun> runs;
  ClusterOptions options;
  Index samples = 0;
  bool is_sweep = false;  // over numbers of features
  std::vector<std::string> notes;
  std::string file;  // that holds the clusters; empty: none
};

// {"samples", "clusters", "repeats", "notes", "file"}, and of the run
//  {"features", "accuracy", "accuracy_deviation", "nmi", "nmi_deviation", "objective", "objective_deviation",
//   "best_start", "best_objective", "sizes", "starts": [{"objective", "accuracy", "nmi", "rounds", "converged"}]}
// or "sweep", a list of such. Accuracy and NMI are null without classes.
std::string cluster_json(const ClusterReport& report);

}  // namespace clade
