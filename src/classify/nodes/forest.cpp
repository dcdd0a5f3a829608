// Ensembles of predictive clustering trees over labels closed upward: a tree splits the samples so that the variance of
// all nodes' memberships, weighted by 0.75^depth, falls most (math/clustering_tree.h); a node's score is the mean over
// the trees of the share of samples in the leaf that belong to it. Extra trees see all samples, because trees without
// some of the labels were measured to be worse; so thresholds and probabilities are learnt from other trees, three for
// every ten: two at a time see half of the labels each, and score the other half.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "classify/classifier.h"
#include "classify/nodes/forest_model.h"
#include "classify/nodes/node_decisions.h"
#include "classify/nodes/node_model.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/random.h"
#include "data/closed_labels.h"
#include "data/tree_data.h"
#include "math/clustering_tree.h"

namespace clade {
namespace {

constexpr Index kRowsPerTask = 64;
constexpr Index kGroup = 2;

enum class Ensemble { kExtraTrees, kBagging };
constexpr Choice<Ensemble> kEnsembleWords[] = {{Ensemble::kExtraTrees, "extra-trees"}, {Ensemble::kBagging, "bagging"}};

struct ForestOptions {
  Index trees = 100;
  Ensemble ensemble = Ensemble::kExtraTrees;
  double split_features = std::numeric_limits<double>::quiet_NaN();
  Index min_leaf = 5;
  double depth_weight = 0.75;
};

template <class V>
void describe(V& v, ForestOptions& o) {
  v("trees", o.trees, between(1, 1 << 20), "number of trees");
  v("ensemble", o.ensemble, kEnsembleWords,
    "extra-trees: random thresholds; bagging: the best thresholds, on bootstrap samples");
  v("split-features", o.split_features, between(0, 1),
    "share of the features that a split tries; auto: a third (extra-trees) or the square root of their number");
  v("min-leaf", o.min_leaf, at_least(1), "fewest samples in a leaf");
  v("depth-weight", o.depth_weight, between(0, 1),
    "weight of a node, relative to its parents, in the choice of splits");
}

// Samples whose scores decide on thresholds: all, or as many evenly spaced ones as a gibibyte of scores allows.
std::vector<Index> samples_that_decide(Index samples, Index columns) {
  constexpr Index kMostScores = Index{1} << 27;
  const Index count = std::clamp<Index>(kMostScores / std::max<Index>(columns, 1), 1, samples);
  std::vector<Index> some;
  for (Index k = 0; k < count; ++k) some.push_back(k * samples / count);
  return some;
}

class ForestClassifier : public Classifier {
 public:
  ParameterTable parameters() override { return ParameterTable(options_); }
  bool takes_missing_values() const override { return true; }

  void check(ChosenFeatures chosen) const override {
    if (chosen == ChosenFeatures::kPerNode) {
      throw usage_error("the trees of a forest split by the same features for all nodes",
                        "expected a ranking of all features together");
    }
  }

  ModelBody train(const TrainingInput& input, Context& ctx) override {
    const Dataset& data = input.data;
    const ClosedLabels labels = closed_labels(data, input.weight);
    const LabelSetsOfSamples distinct = distinct_sets(labels.members);
    const std::vector<FeatureIndex> chosen = input.features.empty() ? std::vector<FeatureIndex>() : input.features[0];

    auto nodes = std::make_shared<NodeModel>();
    nodes->nodes = labels.nodes;
    nodes->mean.assign(labels.nodes.size(), 0);
    Forest& forest = nodes->forest.emplace(Forest{distinct.sets, {}});
    const TreeLabels tree_labels = merged_labels(distinct, weights(labels, data));
    const Seen seen = grow(input, tree_labels, chosen, forest, ctx);
    const Leaves leaves = leaves_of(data, forest, ctx);
    if (options_.ensemble == Ensemble::kExtraTrees) fill_with_all(input, tree_labels, leaves, forest, ctx);

    ModelBody model;
    model.kind = ModelKind::kNodes;
    model.has_probabilities = true;
    const std::vector<Index> some = samples_that_decide(data.samples(), labels.columns());
    Matrix scores = held_out(input, forest, labels, some, tree_labels.set, seen, leaves, ctx);
    if (input.keeps_held_out && scores.rows() == data.samples()) nodes->held_out = scores;
    learn_decisions(*nodes, model.node_threshold, data.subset(some), labels_of(labels, some), std::move(scores), ctx);
    forest.trees.resize(static_cast<std::size_t>(options_.trees));
    model.node_model = std::move(nodes);
    Index count = 0;
    for (const ClusteringTree& tree : model.node_model->forest->trees) count += tree.leaves();
    model.summary.emplace_back("leaves per tree", fmt::format("{}", count / options_.trees));
    return model;
  }

 private:
  // Per tree and sample: was the tree grown with it, and its leaf.
  using Seen = std::vector<std::vector<bool>>;
  using Leaves = std::vector<std::vector<std::int32_t>>;

  std::vector<double> weights(const ClosedLabels& labels, const Dataset& data) const {
    return column_weights(data.taxonomy(), labels.nodes, options_.depth_weight);
  }

  TreeOptions tree_options(Index features) const {
    TreeOptions options{.has_random_thresholds = options_.ensemble == Ensemble::kExtraTrees,
                        .feature_share = options_.split_features,
                        .min_leaf = options_.min_leaf};
    if (std::isnan(options.feature_share)) {
      options.feature_share = options.has_random_thresholds
                                  ? 1.0 / 3
                                  : std::sqrt(static_cast<double>(features)) / static_cast<double>(features);
    }
    return options;
  }

  // The mass of every sample in one tree. A tree of a group does not see the labels of one part of the samples, and
  // the trees of the group have different parts; the last trees are in groups.
  std::vector<double> draw_masses(const TrainingInput& input, Index tree, Context& ctx) const {
    const Index n = input.data.samples();
    std::vector<double> mass(static_cast<std::size_t>(n), 1);
    if (options_.ensemble == Ensemble::kBagging) {
      RandomStream random(ctx.seed(), {kBootstrapStream, kSolverStream, static_cast<std::uint64_t>(tree)});
      std::fill(mass.begin(), mass.end(), 0);
      for (Index k = 0; k < n; ++k) mass[static_cast<std::size_t>(random.below(n))] += 1;
    } else if (tree >= options_.trees) {
      const Index group = (tree - options_.trees) / kGroup;
      const Index part = (tree - options_.trees) % kGroup;
      RandomStream random(ctx.seed(), {kFoldStream, kSolverStream, static_cast<std::uint64_t>(group)});
      std::vector<Index> all(static_cast<std::size_t>(n));
      std::iota(all.begin(), all.end(), Index{0});
      random.shuffle(std::span(all));
      for (Index k = part * n / kGroup; k < (part + 1) * n / kGroup; ++k) {
        mass[static_cast<std::size_t>(all[static_cast<std::size_t>(k)])] = 0;
      }
      if (std::ranges::count(mass, 0.0) == n) std::fill(mass.begin(), mass.end(), 1);
    }
    for (std::size_t s = 0; s < input.weight.size(); ++s) mass[s] *= input.weight[s];
    return mass;
  }

  // How many trees are grown beside those of the model, for the scores of samples that they have not seen.
  Index other_trees() const {
    if (options_.ensemble == Ensemble::kBagging) return 0;
    return kGroup * std::max<Index>(1, 3 * options_.trees / 20);
  }

  Seen grow(const TrainingInput& input, const TreeLabels& labels, std::span<const FeatureIndex> chosen, Forest& forest,
            Context& ctx) const {
    const TreeFeatures features = tree_features(input.data, chosen);
    const TreeOptions options = tree_options(features.features);
    const Index trees = options_.trees + other_trees();
    Seen result(static_cast<std::size_t>(trees));
    forest.trees.resize(result.size());
    Progress progress(ctx, "growing trees", trees);
    parallel_for(ctx, trees, 1, [&](Index tree, Index) {
      const std::vector<double> mass = draw_masses(input, tree, ctx);
      std::vector<bool>& is_seen = result[static_cast<std::size_t>(tree)];
      std::vector<std::int32_t> samples;
      for (std::size_t s = 0; s < mass.size(); ++s) {
        is_seen.push_back(mass[s] > 0);
        if (is_seen[s] || options_.ensemble == Ensemble::kExtraTrees) samples.push_back(static_cast<std::int32_t>(s));
      }
      ClusteringTree& own = forest.trees[static_cast<std::size_t>(tree)];
      RandomStream random(ctx.seed(), {kSolverStream, kSolverStream, static_cast<std::uint64_t>(tree)});
      own = grow_tree(features, labels, samples, mass, options, random);
      for (FeatureIndex& f : own.feature) {
        if (f >= 0 && !chosen.empty()) f = chosen[static_cast<std::size_t>(f)];
      }
      progress.advance();
    });
    return result;
  }

  static Leaves leaves_of(const Dataset& data, const Forest& forest, Context& ctx) {
    Leaves leaves(forest.trees.size(), std::vector<std::int32_t>(static_cast<std::size_t>(data.samples())));
    parallel_for(ctx, data.samples(), kRowsPerTask, [&](Index begin, Index end) {
      std::vector<double> row(static_cast<std::size_t>(data.features()));
      for (Index s = begin; s < end; ++s) {
        copy_row(data, s, row);
        for (std::size_t tree = 0; tree < leaves.size(); ++tree) {
          leaves[tree][static_cast<std::size_t>(s)] = forest.trees[tree].leaf_of(row);
        }
      }
    });
    return leaves;
  }

  static void fill_with_all(const TrainingInput& input, const TreeLabels& labels, const Leaves& leaves, Forest& forest,
                            Context& ctx) {
    std::vector<double> mass = input.weight;
    if (mass.empty()) mass.assign(static_cast<std::size_t>(input.data.samples()), 1);
    parallel_for(ctx, std::ssize(forest.trees), 1, [&](Index tree, Index) {
      const auto t = static_cast<std::size_t>(tree);
      refill_leaves(forest.trees[t], labels, leaves[t], mass);
    });
  }

  // The scores of samples by the trees that were grown without it, without its own share of their leaves. Where
  // there are no such trees, by the shares of all samples.
  Matrix held_out(const TrainingInput& input, const Forest& forest, const ClosedLabels& labels,
                  std::span<const Index> some, std::span<const std::int32_t> set, const Seen& seen,
                  const Leaves& leaves, Context& ctx) const {
    Matrix scores = Matrix::Zero(std::ssize(some), labels.columns());
    parallel_for(ctx, scores.rows(), kRowsPerTask, [&](Index begin, Index end) {
      LeafSums sums(forest);
      for (Index s = begin; s < end; ++s) {
        const auto sample = static_cast<std::size_t>(some[static_cast<std::size_t>(s)]);
        const double mass = input.weight.empty() ? 1 : input.weight[sample];
        bool is_scored = false;
        for (std::size_t tree = 0; tree < leaves.size(); ++tree) {
          if (seen[tree][sample]) continue;
          if (options_.ensemble == Ensemble::kExtraTrees) {
            is_scored |= sums.add_without(forest.trees[tree], leaves[tree][sample], set[sample], mass);
          } else {
            sums.add(forest.trees[tree], leaves[tree][sample]);
            is_scored = true;
          }
        }
        sums.finish(scores, s);
        if (is_scored) continue;
        for (Index c = 0; c < labels.columns(); ++c) scores(s, c) = labels.frequency[static_cast<std::size_t>(c)];
      }
    });
    return scores;
  }

  ForestOptions options_;
};

}  // namespace

std::unique_ptr<Classifier> make_forest() {
  return std::make_unique<ForestClassifier>();
}

}  // namespace clade
