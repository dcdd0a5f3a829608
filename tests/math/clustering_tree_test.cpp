#include "math/clustering_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "core/random.h"

namespace clade {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Random data with ties, missing values, and samples without a mass.
struct TreeCase {
  TreeFeatures features;
  TreeLabels labels;
  std::vector<std::int32_t> samples;
  std::vector<double> mass;
};

TreeCase random_case(std::uint64_t seed, bool is_sparse) {
  RandomStream random(seed, {kTestStream});
  TreeCase c;
  const Index n = 12 + random.below(40);
  const Index columns = 2 + random.below(6);
  const Index sets = 2 + random.below(8);
  for (Index k = 0; k < sets; ++k) {
    for (std::int32_t column = 0; column < columns; ++column) {
      if (random.below(3) == 0) c.labels.sets.columns.push_back(column);
    }
    c.labels.sets.offsets.push_back(std::ssize(c.labels.sets.columns));
  }
  for (Index k = 0; k < columns; ++k) c.labels.weight.push_back(0.1 + random.uniform());
  c.features.samples = n;
  c.features.features = 4;
  if (is_sparse) c.features.offsets.push_back(0);
  for (Index s = 0; s < n; ++s) {
    c.labels.set.push_back(static_cast<std::int32_t>(random.below(sets)));
    c.samples.push_back(static_cast<std::int32_t>(s));
    c.mass.push_back(random.below(5) == 0 ? 0 : 0.5 + static_cast<double>(random.below(3)));
    for (FeatureIndex f = 0; f < 4; ++f) {
      const Index kind = random.below(8);
      const double value = kind == 0 ? kNaN : kind < 4 ? 0 : static_cast<double>(random.below(9)) - 4;
      if (!is_sparse) {
        c.features.dense.push_back(value);
      } else if (value != 0) {
        c.features.columns.push_back(f);
        c.features.values.push_back(value);
      }
    }
    if (is_sparse) c.features.offsets.push_back(std::ssize(c.features.columns));
  }
  c.mass[0] = 1;
  return c;
}

std::vector<double> row_of(const TreeFeatures& features, std::int32_t sample) {
  std::vector<double> row(static_cast<std::size_t>(features.features), 0);
  if (features.offsets.empty()) {
    for (std::size_t f = 0; f < row.size(); ++f) {
      row[f] = features.dense[static_cast<std::size_t>(sample) * row.size() + f];
    }
    return row;
  }
  for (Index k = features.offsets[static_cast<std::size_t>(sample)];
       k < features.offsets[static_cast<std::size_t>(sample) + 1]; ++k) {
    row[static_cast<std::size_t>(features.columns[static_cast<std::size_t>(k)])] =
        features.values[static_cast<std::size_t>(k)];
  }
  return row;
}

// By definition: minus the weighted variances of all columns on both sides, times their masses; nothing if a side is
// too small.
double definition(const TreeCase& c, const std::vector<std::int32_t>& node, FeatureIndex feature, double threshold,
                  bool missing_left, Index min_leaf) {
  double loss = 0;
  for (const bool is_left : {true, false}) {
    std::vector<std::int32_t> side;
    double mass = 0;
    for (const std::int32_t s : node) {
      const double value = row_of(c.features, s)[static_cast<std::size_t>(feature)];
      if ((std::isnan(value) ? missing_left : value <= threshold) != is_left) continue;
      side.push_back(s);
      mass += c.mass[static_cast<std::size_t>(s)];
    }
    if (std::ssize(side) < min_leaf || mass == 0) return -std::numeric_limits<double>::infinity();
    for (std::int32_t v = 0; v < static_cast<std::int32_t>(c.labels.weight.size()); ++v) {
      const auto has = [&](std::int32_t s) {
        return std::ranges::count(c.labels.sets.of(c.labels.set[static_cast<std::size_t>(s)]), v) > 0 ? 1.0 : 0.0;
      };
      double mean = 0;
      for (const std::int32_t s : side) mean += c.mass[static_cast<std::size_t>(s)] * has(s) / mass;
      for (const std::int32_t s : side) {
        const double difference = has(s) - mean;
        loss += c.labels.weight[static_cast<std::size_t>(v)] * c.mass[static_cast<std::size_t>(s)] * difference *
                difference;
      }
    }
  }
  return -loss;
}

double best_by_definition(const TreeCase& c, const std::vector<std::int32_t>& node, Index min_leaf) {
  double best = -std::numeric_limits<double>::infinity();
  for (FeatureIndex f = 0; f < static_cast<FeatureIndex>(c.features.features); ++f) {
    for (const std::int32_t s : node) {
      const double threshold = row_of(c.features, s)[static_cast<std::size_t>(f)];
      if (std::isnan(threshold)) continue;
      // Splits that only part missing values from all others are not searched.
      const bool is_highest = std::ranges::none_of(
          node, [&](std::int32_t other) { return row_of(c.features, other)[static_cast<std::size_t>(f)] > threshold; });
      if (is_highest) continue;
      for (const bool missing_left : {false, true}) {
        best = std::max(best, definition(c, node, f, threshold, missing_left, min_leaf));
      }
    }
  }
  return best;
}

// The samples at every node of the tree.
std::map<std::size_t, std::vector<std::int32_t>> samples_at_nodes(const TreeCase& c, const ClusteringTree& tree) {
  std::map<std::size_t, std::vector<std::int32_t>> result;
  for (const std::int32_t s : c.samples) {
    const std::vector<double> row = row_of(c.features, s);
    std::size_t node = 0;
    result[node].push_back(s);
    while (tree.feature[node] >= 0) {
      node = tree.child(node, row[static_cast<std::size_t>(tree.feature[node])]);
      result[node].push_back(s);
    }
  }
  return result;
}

bool is_pure(const TreeCase& c, const std::vector<std::int32_t>& node) {
  std::set<std::int32_t> sets;
  for (const std::int32_t s : node) {
    if (c.mass[static_cast<std::size_t>(s)] > 0) sets.insert(c.labels.set[static_cast<std::size_t>(s)]);
  }
  return sets.size() <= 1;
}

TEST(ClusteringTree, BestSplitsAreThoseOfASearchByDefinition) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const TreeCase c = random_case(seed, seed % 2 == 1);
    for (const Index min_leaf : {1, 5}) {
      RandomStream random(seed);
      const ClusteringTree tree =
          grow_tree(c.features, c.labels, c.samples, c.mass,
                    {.has_random_thresholds = false, .feature_share = 1, .min_leaf = min_leaf}, random);
      for (const auto& [node, samples] : samples_at_nodes(c, tree)) {
        const double best = best_by_definition(c, samples, min_leaf);
        if (tree.feature[node] < 0) {
          EXPECT_TRUE(is_pure(c, samples) || std::ssize(samples) < 2 * min_leaf || std::isinf(best)) << seed;
          continue;
        }
        const double found =
            definition(c, samples, tree.feature[node], tree.threshold[node], tree.missing_left[node] != 0, min_leaf);
        EXPECT_NEAR(found, best, 1e-9) << "seed " << seed << ", node " << node;
      }
    }
  }
}

TEST(ClusteringTree, RandomSplitsSendMissingValuesToTheBetterSide) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const TreeCase c = random_case(seed, seed % 2 == 1);
    RandomStream random(seed);
    const ClusteringTree tree =
        grow_tree(c.features, c.labels, c.samples, c.mass, {.feature_share = 0.5, .min_leaf = 2}, random);
    for (const auto& [node, samples] : samples_at_nodes(c, tree)) {
      if (tree.feature[node] < 0) {
        EXPECT_TRUE(std::ssize(samples) >= 2 || tree.nodes() == 1);
        continue;
      }
      const auto score = [&](bool missing_left) {
        return definition(c, samples, tree.feature[node], tree.threshold[node], missing_left, 2);
      };
      EXPECT_GE(score(tree.missing_left[node] != 0), score(tree.missing_left[node] == 0) - 1e-9) << seed;
    }
  }
}

// Nothing may depend on the labels of samples without a mass, but leaves can be filled with them.
TEST(ClusteringTree, SamplesWithoutMassOnlyCount) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    TreeCase c = random_case(seed, false);
    const auto grow = [&] {
      RandomStream random(seed);
      return grow_tree(c.features, c.labels, c.samples, c.mass, {.feature_share = 0.5}, random);
    };
    ClusteringTree tree = grow();
    const std::vector<std::int32_t> before = c.labels.set;
    for (std::size_t s = 0; s < c.mass.size(); ++s) {
      if (c.mass[s] == 0) c.labels.set[s] = 0;
    }
    EXPECT_EQ(grow().feature, tree.feature);
    EXPECT_EQ(grow().leaf_share, tree.leaf_share);
    c.labels.set = before;
    const std::vector<double> all(c.mass.size(), 1);
    std::vector<std::int32_t> leaf;
    std::map<std::pair<std::int32_t, std::int32_t>, double> count;
    for (const std::int32_t s : c.samples) {
      leaf.push_back(tree.leaf_of(row_of(c.features, s)));
      count[{leaf.back(), c.labels.set[static_cast<std::size_t>(s)]}] += 1;
    }
    refill_leaves(tree, c.labels, leaf, all);
    for (std::int32_t l = 0; l < static_cast<std::int32_t>(tree.leaves()); ++l) {
      const auto at = static_cast<std::size_t>(l);
      for (Index k = tree.leaf_offsets[at]; k < tree.leaf_offsets[at + 1]; ++k) {
        const auto entry = static_cast<std::size_t>(k);
        EXPECT_NEAR(static_cast<double>(tree.leaf_share[entry]) * tree.leaf_mass[at],
                    (count[{l, tree.leaf_set[entry]}]), 1e-5);
      }
    }
  }
}

TEST(ClusteringTree, NothingToSplit) {
  TreeFeatures features{.samples = 12, .features = 2, .dense = {}, .offsets = {}, .columns = {}, .values = {}};
  for (int s = 0; s < 12; ++s) features.dense.insert(features.dense.end(), {kNaN, 3.0});  // all missing, constant
  TreeLabels labels{.sets = {{0, 1, 2}, {0, 1}}, .set = std::vector<std::int32_t>(12, 0), .weight = {1, 1}};
  std::vector<std::int32_t> samples(12);
  std::iota(samples.begin(), samples.end(), 0);
  const std::vector<double> mass(12, 1);
  for (const bool is_random : {true, false}) {
    for (const bool is_mixed : {true, false}) {
      for (int s = 0; s < 6; ++s) labels.set[static_cast<std::size_t>(s)] = is_mixed ? 1 : 0;
      RandomStream random(1);
      const ClusteringTree tree =
          grow_tree(features, labels, samples, mass, {.has_random_thresholds = is_random}, random);
      EXPECT_EQ(tree.nodes(), 1);
      EXPECT_EQ(tree.leaf_share, (is_mixed ? std::vector<float>{0.5F, 0.5F} : std::vector<float>{1.0F}));
    }
  }
  RandomStream random(1);
  EXPECT_EQ(grow_tree(features, labels, std::vector<std::int32_t>{3}, mass, {}, random).leaves(), 1);
}

}  // namespace
}  // namespace clade
