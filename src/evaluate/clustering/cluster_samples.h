#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <optional>
#include <span>
#include <vector>

#include "core/parameters.h"
#include "select/select.h"

namespace clade {

struct ClusterOptions {
  Index clusters = 0;  // 0: as many as classes
  int repeats = 20;
  int rounds = 300;
  Scale scale = Scale::kNone;
};

template <class V>
void describe(V& v, ClusterOptions& o) {
  v("clusters", o.clusters, nonnegative(), "number of clusters; 0: as many as classes");
  v("repeats", o.repeats, between(1, 100000), "random starts of k-means, each of them measured");
  v("rounds", o.rounds, at_least(1), "most times that the centres of a start are moved");
  v("scale", o.scale, kScaleWords, "scale the selected features (standard, minmax) or samples (unit) first");
}

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
