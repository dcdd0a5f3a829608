#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "data/tree_data.h"
#include "select/learners/forest_importance.h"
#include "select/selector_support.h"

namespace clade {
namespace {

using testing::random_problem_options;
using testing::run_selector;

// Is the node one of the sample's labels or above one?
bool belongs(const Dataset& data, Index sample, NodeId node) {
  for (const NodeId label : data.labels(sample)) {
    const std::vector<NodeId> above = data.taxonomy().ancestors(label);
    if (label == node || std::ranges::find(above, node) != above.end()) return true;
  }
  return false;
}

double value_at(const Dataset& data, Index sample, FeatureIndex feature) {
  double found = 0;
  data.for_each_value(sample, [&](FeatureIndex f, auto value) {
    if (f == feature) found = static_cast<double>(value);
  });
  return found;
}

// The sum of squares about the mean, over the samples below a node, of the membership of each of its children.
double variance(const Dataset& data, const std::vector<Index>& samples, NodeId node) {
  double total = 0;
  for (const NodeId child : data.taxonomy().children(node)) {
    std::vector<double> y;
    for (const Index s : samples) {
      if (belongs(data, s, node)) y.push_back(belongs(data, s, child) ? 1 : 0);
    }
    const double mean = std::accumulate(y.begin(), y.end(), 0.0) / std::max<double>(1, static_cast<double>(y.size()));
    for (const double v : y) total += (v - mean) * (v - mean);
  }
  return total;
}

// What the splits of a tree gain at a node, by feature: samples go down from the top.
void add_gains(const Dataset& data, const ClusteringTree& tree, std::size_t at, const std::vector<Index>& samples,
               NodeId node, std::vector<double>& gains) {
  const FeatureIndex feature = tree.feature[at];
  if (feature < 0) return;
  std::vector<Index> sides[2];
  for (const Index s : samples) sides[value_at(data, s, feature) <= tree.threshold[at] ? 0 : 1].push_back(s);
  gains[static_cast<std::size_t>(feature)] +=
      variance(data, samples, node) - variance(data, sides[0], node) - variance(data, sides[1], node);
  add_gains(data, tree, at + 1, sides[0], node, gains);
  add_gains(data, tree, static_cast<std::size_t>(tree.next[at]), sides[1], node, gains);
}

std::vector<Index> all_samples(const Dataset& data) {
  std::vector<Index> all(static_cast<std::size_t>(data.samples()));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

TEST(ForestSelector, WeightsAreTheReductionOfVariance) {
  int positive = 0;
  for (int k = 0; k < 24; ++k) {
    RandomDataOptions options = random_problem_options(k);
    options.samples = 60;
    options.inner_labels = k % 3 == 0;
    const Dataset data = with_leaf_labels(random_dataset(options));
    const FeatureRanking found = run_selector("forest", data, {{"trees", "3"}, {"min-leaf", "2"}});
    // The same trees again, by the same random numbers.
    const ClosedLabels labels = closed_labels(data, {}, MiscellaneousLeaves::kKept);
    const TreeLabels tree_labels =
        merged_labels(distinct_sets(labels.members), column_weights(data.taxonomy(), labels.nodes, 0.75));
    std::vector<std::int32_t> samples(60);
    std::iota(samples.begin(), samples.end(), 0);
    std::vector<ClusteringTree> trees;
    for (std::uint64_t t = 0; t < 3; ++t) {
      RandomStream random(Context({.threads = 1}).seed(), {kSolverStream, kSolverStream, t});
      trees.push_back(grow_tree(tree_features(data, {}), tree_labels, samples, std::vector<double>(60, 1),
                                {.has_random_thresholds = true, .feature_share = 1.0 / 3, .min_leaf = 2}, random));
    }
    for (const NodeRanking& node : found.nodes) {
      std::vector<double> expected(static_cast<std::size_t>(data.features()), 0);
      for (const ClusteringTree& tree : trees) add_gains(data, tree, 0, all_samples(data), node.node, expected);
      for (std::size_t r = 0; r < node.ranking.size(); ++r) {
        const double total = 3 * std::max<double>(1, static_cast<double>(node.samples));
        EXPECT_NEAR(node.weight[r], expected[static_cast<std::size_t>(node.ranking[r])] / total, 1e-12) << k;
        positive += node.weight[r] > 1e-9 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(positive, 200);
}

TEST(ForestSelector, ThreadsChangeNothing) {
  const Dataset data = random_dataset({.samples = 80, .features = 9, .nodes = 12, .dag = true, .several_labels = true});
  const FeatureRanking one = run_selector("forest", data, {{"trees", "20"}}, 1);
  for (const int threads : {2, 3}) {
    const FeatureRanking other = run_selector("forest", data, {{"trees", "20"}}, threads);
    for (std::size_t k = 0; k < one.nodes.size(); ++k) {
      EXPECT_EQ(one.nodes[k].ranking, other.nodes[k].ranking);
      EXPECT_EQ(one.nodes[k].weight, other.nodes[k].weight);
    }
  }
}

}  // namespace
}  // namespace clade
