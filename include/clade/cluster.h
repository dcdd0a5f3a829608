#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/parameters.h>
#include <clade/predictions.h>
#include <clade/types.h>

#include <optional>
#include <span>
#include <vector>

namespace clade {

// Measures of how well clusters agree with classes. Both give one number (0 or above, in any order, with gaps if need
// be) per sample; the spans have the same size, at least 1. Throws Error (kInput) otherwise.
// See docs/methods/clustering-measures.md.

// The largest share of samples that any one-to-one matching of clusters to classes gets right. 1 is perfect.
// Cost: O(n log n + k^2 m) for k of the fewer and m of the more numerous of clusters and classes; memory O(n + k m).
double clustering_accuracy(std::span<const Index> classes, std::span<const Index> clusters);

// I(classes; clusters) / sqrt(H(classes) H(clusters)) (Strehl and Ghosh, 2002), from 0 to 1. Where both have one group
// only it is 1, where only one of them has it is 0. Cost: O(n log n).
double normalized_mutual_information(std::span<const Index> classes, std::span<const Index> clusters);

// Clustering by k-means.

struct ClusterOptions {
  Index clusters = 0;  // 0: as many as classes
  int repeats = 20;
  int rounds = 300;
  Scale scale = Scale::kNone;
};

void describe(ParameterTable& v, ClusterOptions& o);

// What came of one start of k-means; accuracy and NMI where classes are known.
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
  std::size_t best = 0;         // the start of the smallest objective
  std::vector<Index> clusters;  // of its samples
  std::vector<Index> sizes;     // of its clusters
  Index distinct = 0;           // different samples, counted up to the number of clusters
};

// The class of every sample, numbered from 0; nothing if not every sample has one label.
std::optional<std::vector<Index>> single_classes(const Dataset& data);

// Clusters the samples by the given features, each at most once. `classes` has one for every sample, or none at all.
// Throws Error (kInput) where there are more clusters than samples, or values that are missing or too large.
ClusterRun cluster_samples(const Dataset& data, std::vector<FeatureIndex> features, std::span<const Index> classes,
                           const ClusterOptions& options, Context& ctx);

// Over the starts of a run; the deviation is that of a sample (n - 1), 0 for one start.
struct Spread {
  double mean = 0;
  double deviation = 0;
};
Spread spread(std::span<const double> values);

}  // namespace clade
