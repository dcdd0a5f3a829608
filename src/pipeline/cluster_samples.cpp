#include <clade/cluster.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "comm/collectives.h"
#include "comm/even_blocks.h"
#include "comm/team.h"
#include "core/byte_string.h"
#include "core/check.h"
#include "core/parallel.h"
#include "data/kmeans.h"
#include "data/kmeans_samples.h"
#include "data/row_exchange.h"
#include "data/scaling.h"

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

Index total(Index own, Team& team) {
  Index sum = 0;
  for (const std::string& bytes : all_gather(team.processes(), ByteWriter().put(own).take())) {
    sum += ByteReader(bytes).get<Index>();
  }
  return sum;
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

// The samples with only some of the features, in double precision, scaled, without labels: those of the blocks that
// this process has.
Dataset selected(const Dataset& data, const std::vector<FeatureIndex>& features, Scale scale,
                 const EvenBlocks& blocks) {
  Index stored = 0;
  for_each_selected(data, features, [&](Index, FeatureIndex, double) { ++stored; });
  const auto cells = static_cast<double>(blocks.rows()) * static_cast<double>(features.size());
  const double share = static_cast<double>(total(stored, blocks.sums().team())) / cells;
  Dataset::Parts parts;
  parts.features = share < kSparseShare ? sparse_columns(data, features, stored) : dense_columns(data, features);
  parts.labels.offsets.assign(static_cast<std::size_t>(data.samples()) + 1, 0);
  parts.taxonomy = data.taxonomy();
  return scaled(Dataset(std::move(parts)), scale, false, blocks);
}

// The clusters of all samples, in the order of the processes, for the leader; nothing for others.
std::vector<Index> gathered(const std::vector<Index>& own, Team& team) {
  if (team.size() == 1) return own;
  const std::vector<std::int32_t> packed(own.begin(), own.end());
  std::vector<Index> all;
  for (const std::string& bytes : gather(team.processes(), 0, ByteWriter().put(packed).take())) {
    const auto some = ByteReader(bytes).get<std::vector<std::int32_t>>();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

// Where processes have parts of the samples, those that were started together.
Team& team_for(const Dataset& data, Team& alone, Context& ctx) {
  Team* const team = data.row_parts() ? team_of(ctx) : nullptr;
  Team& found = team == nullptr ? alone : *team;
  CLADE_CHECK(!data.row_parts() || std::ssize(data.row_parts()->first) == found.size() + 1);
  return found;
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
  Team alone(std::make_shared<Alone>());
  Team& team = team_for(data, alone, ctx);
  const EvenBlocks blocks = k_means_blocks(team, data.samples(), std::ssize(features));
  const Dataset own = own_blocks(data, blocks);
  const Scale scale = options.scale == Scale::kAuto ? comparable_scale(own, blocks) : options.scale;
  const Dataset chosen = selected(own, features, scale, blocks);
  const KMeansSamples samples(chosen, blocks, ctx);
  const KMeansResult result = k_means(
      samples.rows(), blocks, {.clusters = options.clusters, .starts = options.repeats, .rounds = options.rounds}, ctx);
  ClusterRun run{.features = std::ssize(features), .starts = {}, .best = result.best, .distinct = result.distinct};
  std::vector<std::vector<Index>> clusters;
  for (std::size_t k = 0; k < result.starts.size(); ++k) {
    const bool is_wanted = k == result.best || !classes.empty();
    clusters.push_back(is_wanted ? gathered(result.starts[k].labels, team) : std::vector<Index>());
  }
  run.starts.resize(result.starts.size());
  parallel_for(ctx, std::ssize(result.starts), 1, [&](Index at, Index) {
    const auto k = static_cast<std::size_t>(at);
    const KMeansStart& start = result.starts[k];
    ClusterStart& measured = run.starts[k];
    measured = {
        .objective = start.objective, .rounds = std::ssize(start.objectives), .has_converged = start.has_converged};
    if (classes.empty() || !team.leads()) return;
    measured.accuracy = clustering_accuracy(classes, clusters[k]);
    measured.nmi = normalized_mutual_information(classes, clusters[k]);
  });
  run.clusters = std::move(clusters[result.best]);
  run.sizes.assign(static_cast<std::size_t>(options.clusters), 0);
  for (const Index cluster : run.clusters) ++run.sizes[static_cast<std::size_t>(cluster)];
  return run;
}

void write_clusters(const ClusterRun& run, const Dataset& data, const std::string& path, bool overwrite, Context& ctx) {
  Team alone(std::make_shared<Alone>());
  Team& team = team_for(data, alone, ctx);
  if (team.size() == 1) return write_clusters(run.clusters, data, path, overwrite);
  Dataset::Parts parts;
  parts.sample_names = all_sample_names(data, team);
  if (!team.leads()) return;
  parts.features = DenseMatrix<double>{data.samples(), 0, {}};
  parts.labels.offsets.assign(static_cast<std::size_t>(data.samples()) + 1, 0);
  parts.taxonomy = data.taxonomy();
  write_clusters(run.clusters, Dataset(std::move(parts)), path, overwrite);
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
