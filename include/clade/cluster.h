#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/parameters.h>
#include <clade/predictions.h>
#include <clade/types.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace clade {

// Measures of how well clusters agree with classes. Each span gives one number per sample (0 or above, in any order,
// gaps allowed); both have the same size, at least 1. Anything else throws Error (kInput). See
// docs/methods/clustering-measures.md.

// The largest share of samples that a one-to-one matching of clusters to classes can get right. 1 is perfect.
// Cost: O(n log n + k^2 m), memory O(n + k m), k the smaller and m the larger of the numbers of clusters and classes.
double clustering_accuracy(std::span<const Index> classes, std::span<const Index> clusters);

// I(classes; clusters) / sqrt(H(classes) H(clusters)) (Strehl and Ghosh, 2002), from 0 to 1. It is 1 if both have a
// single group, and 0 if only one of them does. Cost: O(n log n).
double normalized_mutual_information(std::span<const Index> classes, std::span<const Index> clusters);

// Clustering by k-means.

struct ClusterOptions {
  Index clusters = 0;  // 0: as many as there are classes
  int repeats = 20;
  int rounds = 300;
  Scale scale = Scale::kAuto;  // by the data, whatever features are selected
};

void describe(ParameterTable& v, ClusterOptions& o);

// The result of one start of k-means; accuracy and NMI only if the classes are known.
struct ClusterStart {
  double objective = 0;
  std::optional<double> accuracy;
  std::optional<double> nmi;
  Index rounds = 0;
  bool has_converged = false;
};

// k-means on some of the features, from several starts.
struct ClusterRun {
  Index features = 0;
  std::vector<ClusterStart> starts;
  std::size_t best = 0;         // the start with the smallest objective
  std::vector<Index> clusters;  // of the samples, in the best start
  std::vector<Index> sizes;     // of the clusters, in the best start
  Index distinct = 0;           // different samples, counted up to the number of clusters
};

// The class of every sample, numbered from 0; nothing unless every sample has exactly one label.
std::optional<std::vector<Index>> single_classes(const Dataset& data);

// Clusters the samples by the given features, each listed at most once. `classes` has one entry per sample, or none at
// all. Throws Error (kInput) if there are more clusters than samples, or if values are missing or too large.
//
// Where processes have parts of the samples (read_by_rows()), all call it with the same, and the leader alone gets the
// clusters and how well they agree with the classes. What is found is the same for any number of processes.
ClusterRun cluster_samples(const Dataset& data, std::vector<FeatureIndex> features, std::span<const Index> classes,
                           const ClusterOptions& options, Context& ctx);

// Writes the clusters of a run to a file, as write_clusters() of predictions.h does. Where processes have parts of the
// samples, all call it, and the leader writes.
void write_clusters(const ClusterRun& run, const Dataset& data, const std::string& path, bool overwrite, Context& ctx);

// Mean and standard deviation over the starts of a run; the deviation divides by n - 1 and is 0 for a single start.
struct Spread {
  double mean = 0;
  double deviation = 0;
};
Spread spread(std::span<const double> values);

}  // namespace clade
