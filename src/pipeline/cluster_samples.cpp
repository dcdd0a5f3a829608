#include <clade/cluster.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/parallel.h"
#include "data/kmeans_samples.h"
#include "data/scaling.h"
#include "math/kmeans.h"

namespace clade {
namespace {

constexpr double kSparseShare = 0.1;  // of stored values: with more, dense matrix products are faster

// Calls visit(sample, position among the features, value) for the stored values, sample by sample.
template <class Visit>
void for_each_selected(const Dataset& data, const std::vector<FeatureIndex>& features, Visit&& visit) {
  std::vector<FeatureIndex> place(static_cast<std::size_t>(data.features()), -1);
  for (std::size_t k = 0; k < features.size(); ++k) {
    place[static_cast<std::size_t>(features[k])] = static_cast<FeatureIndex>(k);
  }
  for (Index s = 0; s < data.samples(); ++s) {
    data.for_each_value(s, [&](FeatureIndex f, auto value) {
      const FeatureIndex k = place[static_cast<std::size_t>(f)];
      if (k >= 0) visit(s, k, static_cast<double>(value));
    });
  }
}

FeatureMatrix dense_columns(const Dataset& data, const std::vector<FeatureIndex>& features) {
  const Index columns = std::ssize(features);
  DenseMatrix<double> matrix{data.samples(), columns, Buffer<double>(data.samples() * columns)};
  std::fill(matrix.values.begin(), matrix.values.end(), 0.0);
  for_each_selected(data, features,
                    [&](Index s, FeatureIndex k, double value) { matrix.values[s * columns + k] = value; });
  return matrix;
}

FeatureMatrix sparse_columns(const Dataset& data, const std::vector<FeatureIndex>& features, Index stored) {
  SparseMatrix<double> matrix{data.samples(), std::ssize(features), Buffer<Index>(data.samples() + 1),
                              Buffer<FeatureIndex>(stored), Buffer<double>(stored)};
  std::fill(matrix.offsets.begin(), matrix.offsets.end(), 0);
  Index next = 0;
  for_each_selected(data, features, [&](Index s, FeatureIndex k, double value) {
    matrix.indices[next] = k;
    matrix.values[next] = value;
    matrix.offsets[s + 1] = ++next;
  });
  // A sample without values begins where the one before ends.
  for (Index s = 0; s < data.samples(); ++s) {
    matrix.offsets[s + 1] = std::max(matrix.offsets[s + 1], matrix.offsets[s]);
  }
  return matrix;
}

// The samples with only some of the features, in double precision, scaled, without labels.
Dataset selected(const Dataset& data, const std::vector<FeatureIndex>& features, Scale scale) {
  Index stored = 0;
  for_each_selected(data, features, [&](Index, FeatureIndex, double) { ++stored; });
  const double share =
      static_cast<double>(stored) / (static_cast<double>(data.samples()) * static_cast<double>(features.size()));
  Dataset::Parts parts;
  parts.features = share < kSparseShare ? sparse_columns(data, features, stored) : dense_columns(data, features);
  parts.labels.offsets.assign(static_cast<std::size_t>(data.samples()) + 1, 0);
  parts.taxonomy = data.taxonomy();
  return scaled(Dataset(std::move(parts)), scale, false);
}

}  // namespace

void describe(ParameterTable& v, ClusterOptions& o) {
  v("clusters", o.clusters, nonnegative(), "number of clusters; 0: as many as there are classes");
  v("repeats", o.repeats, between(1, 100000), "number of random starts of k-means; each is measured");
  v("rounds", o.rounds, at_least(1), "largest number of times that the centres of a start are moved");
  v("scale", o.scale, kScaleWords,
    "scale the selected features (standard, minmax) or samples (unit) first; auto: by the data");
}

std::optional<std::vector<Index>> single_classes(const Dataset& data) {
  std::vector<Index> classes;
  std::map<NodeId, Index> number;
  for (Index s = 0; s < data.samples(); ++s) {
    if (data.labels(s).size() != 1) return std::nullopt;
    classes.push_back(number.try_emplace(data.labels(s)[0], std::ssize(number)).first->second);
  }
  return classes;
}

ClusterRun cluster_samples(const Dataset& data, std::vector<FeatureIndex> features, std::span<const Index> classes,
                           const ClusterOptions& options, Context& ctx) {
  std::sort(features.begin(), features.end());
  const Scale scale = options.scale == Scale::kAuto ? comparable_scale(data) : options.scale;
  const Dataset chosen = selected(data, features, scale);
  const KMeansSamples samples(chosen, ctx);
  const KMeansResult result =
      k_means(samples.rows(), {.clusters = options.clusters, .starts = options.repeats, .rounds = options.rounds}, ctx);
  ClusterRun run{.features = std::ssize(features), .starts = {}, .best = result.best, .distinct = result.distinct};
  run.starts.resize(result.starts.size());
  parallel_for(ctx, std::ssize(result.starts), 1, [&](Index k, Index) {
    const KMeansStart& start = result.starts[static_cast<std::size_t>(k)];
    ClusterStart& measured = run.starts[static_cast<std::size_t>(k)];
    measured = {
        .objective = start.objective, .rounds = std::ssize(start.objectives), .has_converged = start.has_converged};
    if (classes.empty()) return;
    measured.accuracy = clustering_accuracy(classes, start.labels);
    measured.nmi = normalized_mutual_information(classes, start.labels);
  });
  run.clusters = result.starts[result.best].labels;
  run.sizes.assign(static_cast<std::size_t>(options.clusters), 0);
  for (const Index cluster : run.clusters) ++run.sizes[static_cast<std::size_t>(cluster)];
  return run;
}

Spread spread(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  Spread result{.mean = sum / n, .deviation = 0};
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  if (values.size() > 1) result.deviation = std::sqrt(squares / (n - 1));
  return result;
}

}  // namespace clade
