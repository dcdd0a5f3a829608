// Features by their importance in a forest: extra trees grown over the labels of all nodes together, as those of the
// classifier of this name; the weight of a feature at a node is what its splits gain there (forest_importance.h), for
// each tree and each sample below the node.

#include <clade/error.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/parallel.h"
#include "core/progress.h"
#include "core/random.h"
#include "data/closed_labels.h"
#include "data/tree_data.h"
#include "select/learners/forest_importance.h"
#include "select/ranking.h"
#include "select/selector.h"

namespace clade {
namespace {

struct ForestSelectorOptions {
  Index trees = 100;
  double split_features = std::numeric_limits<double>::quiet_NaN();
  Index min_leaf = 5;
  double depth_weight = 0.75;
};

template <class V>
void describe(V& v, ForestSelectorOptions& o) {
  v("trees", o.trees, between(1, 1 << 20), "number of trees");
  v("split-features", o.split_features, between(0, 1), "share of the features that a split tries; auto: a third");
  v("min-leaf", o.min_leaf, at_least(1), "fewest samples in a leaf");
  v("depth-weight", o.depth_weight, between(0, 1),
    "weight of a node, relative to its parents, in the choice of splits");
}

std::vector<std::int32_t> leaves_of(const ClusteringTree& tree, const TreeFeatures& features) {
  std::vector<std::int32_t> leaf;
  const auto width = static_cast<std::size_t>(features.features);
  std::vector<double> row(width, 0);
  for (Index s = 0; s < features.samples; ++s) {
    if (!features.dense.empty()) {
      leaf.push_back(tree.leaf_of(std::span(features.dense).subspan(static_cast<std::size_t>(s) * width, width)));
      continue;
    }
    const auto begin = static_cast<std::size_t>(features.offsets[static_cast<std::size_t>(s)]);
    const auto end = static_cast<std::size_t>(features.offsets[static_cast<std::size_t>(s) + 1]);
    for (std::size_t k = begin; k < end; ++k) row[static_cast<std::size_t>(features.columns[k])] = features.values[k];
    leaf.push_back(tree.leaf_of(row));
    for (std::size_t k = begin; k < end; ++k) row[static_cast<std::size_t>(features.columns[k])] = 0;
  }
  return leaf;
}

class ForestSelector final : public Selector {
 public:
  ParameterTable parameters() override { return ParameterTable(options_); }

  FeatureRanking select(const SelectionInput& input, Context& ctx) override {
    const Dataset& data = input.data;
    const Taxonomy& taxonomy = data.taxonomy();
    const ClosedLabels labels = closed_labels(data, {}, MiscellaneousLeaves::kKept);
    const TreeLabels tree_labels =
        merged_labels(distinct_sets(labels.members), column_weights(taxonomy, labels.nodes, options_.depth_weight));
    const TreeFeatures features = tree_features(data, {});
    const TreeOptions tree_options{
        .has_random_thresholds = true,
        .feature_share = std::isnan(options_.split_features) ? 1.0 / 3 : options_.split_features,
        .min_leaf = options_.min_leaf};
    std::vector<std::int32_t> samples(static_cast<std::size_t>(data.samples()));
    std::iota(samples.begin(), samples.end(), 0);
    const std::vector<double> mass(samples.size(), 1);

    const auto width = static_cast<std::size_t>(data.features());
    std::vector<std::vector<double>> weights(input.tables.size());
    std::vector<std::size_t> table_of(static_cast<std::size_t>(taxonomy.size()), 0);
    for (std::size_t t = 0; t < input.tables.size(); ++t) {
      table_of[static_cast<std::size_t>(input.tables[t].node)] = t;
      if (input.is_asked_for(input.tables[t].node)) weights[t].assign(width, 0);
    }
    // Some trees at a time; their gains are added in the order of the trees.
    constexpr Index kTogether = 16;
    Progress progress(ctx, "growing trees", options_.trees);
    for (Index begin = 0; begin < options_.trees; begin += kTogether) {
      const Index count = std::min(kTogether, options_.trees - begin);
      std::vector<std::vector<SplitGain>> gains(static_cast<std::size_t>(count));
      parallel_for(ctx, count, 1, [&](Index k, Index) {
        RandomStream random(ctx.seed(), {kSolverStream, kSolverStream, static_cast<std::uint64_t>(begin + k)});
        const ClusteringTree tree = grow_tree(features, tree_labels, samples, mass, tree_options, random);
        gains[static_cast<std::size_t>(k)] = split_gains(tree, leaves_of(tree, features), labels, taxonomy);
        progress.advance();
      });
      for (const std::vector<SplitGain>& own : gains) {
        for (const SplitGain& g : own) {
          std::vector<double>& weight = weights[table_of[static_cast<std::size_t>(g.node)]];
          if (!weight.empty()) weight[static_cast<std::size_t>(g.feature)] += g.gain;
        }
      }
    }
    FeatureRanking result;
    for (std::size_t t = 0; t < input.tables.size(); ++t) {
      const NodeTable& table = input.tables[t];
      if (!input.is_asked_for(table.node)) continue;
      const double total = static_cast<double>(options_.trees * std::max<Index>(1, table.samples()));
      for (double& weight : weights[t]) weight /= total;
      result.nodes.push_back(rank_features(table, weights[t]));
    }
    return result;
  }

 private:
  ForestSelectorOptions options_;
};

}  // namespace

std::unique_ptr<Selector> make_forest_selector() {
  return std::make_unique<ForestSelector>();
}

}  // namespace clade
