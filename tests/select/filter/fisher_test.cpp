#include <gmock/gmock.h>

#include "data/storage.h"
#include "select/filter/filter_cases.h"

namespace clade {
namespace {

using namespace testing;

double fisher_by_definition(const PlainTable& table, Index j) {
  const auto n = static_cast<double>(table.x.rows());
  double mean = 0;
  bool constant = true;
  for (Index r = 0; r < table.x.rows(); ++r) mean += table.x(r, j) / n;
  for (Index r = 0; r < table.x.rows(); ++r) constant = constant && table.x(r, j) == table.x(0, j);
  if (constant) return 0;
  double between = 0;
  double within = 0;
  for (Index c = 0; c < table.y.cols(); ++c) {
    double count = 0;
    double sum = 0;
    for (Index r = 0; r < table.x.rows(); ++r) {
      count += table.y(r, c);
      sum += table.y(r, c) * table.x(r, j);
    }
    double variance = 0;
    bool same = true;
    double first = std::nan("");
    for (Index r = 0; r < table.x.rows(); ++r) {
      if (table.y(r, c) == 0) continue;
      if (std::isnan(first)) first = table.x(r, j);
      same = same && table.x(r, j) == first;
      variance += std::pow(table.x(r, j) - sum / count, 2) / count;
    }
    between += count * std::pow(sum / count - mean, 2);
    within += same ? 0 : count * variance;
  }
  return within == 0 ? 100 : between / within;
}

TEST(Fisher, MatchesTheDefinition) {
  for_each_filter_result(make_fisher, {}, 0, [](const Dataset&, const PlainTable& table, const NodeRanking& node) {
    expect_descending_with_ties_by_index(node);
    const Eigen::VectorXd weights = weights_by_feature(node);
    for (Index j = 0; j < weights.size(); ++j) {
      const double expected = fisher_by_definition(table, j);
      ASSERT_NEAR(weights[j], expected, 1e-8 * expected + 1e-14) << "feature " << j;
    }
  });
}

Dataset two_classes(const std::vector<double>& values, const std::vector<NodeId>& classes, Index columns = 1) {
  const std::vector<std::string> names{"a", "b"};
  Dataset::Parts parts{.features = {}, .labels = {}, .taxonomy = flat_taxonomy(names)};
  DenseMatrix<double> m{std::ssize(values) / columns, columns, Buffer<double>(std::ssize(values))};
  std::ranges::copy(values, m.values.begin());
  parts.features = std::move(m);
  for (const NodeId c : classes) {
    parts.labels.nodes.push_back(1 + c);
    parts.labels.offsets.push_back(std::ssize(parts.labels.nodes));
  }
  return Dataset(std::move(parts));
}

// 0.1 + 0.1 + 0.1 is not 0.3: a mean of the values would differ between a class of three and a class of one.
TEST(Fisher, AConstantFeatureScoresExactlyZero) {
  const auto result = run_filter(make_fisher, two_classes({0.1, 0.1, 0.1, 0.1}, {0, 0, 0, 1}), false);
  EXPECT_EQ(result.nodes[0].weight[0], 0);
}

TEST(Fisher, AFeatureConstantWithinClassesScoresExactlyOneHundred) {
  const auto result = run_filter(make_fisher, two_classes({0.1, 0.1, 0.1, 0.7}, {0, 0, 0, 1}), false);
  EXPECT_EQ(result.nodes[0].weight[0], 100);
}

// 1, 3 | 5, 7: means 2, 6, overall 4: (2*4 + 2*4) / (2*1 + 2*1) = 4; and the same far away from 0.
TEST(Fisher, ALargeOffsetDoesNotDrownTheScore) {
  EXPECT_EQ(run_filter(make_fisher, two_classes({1, 3, 5, 7}, {0, 0, 1, 1}), false).nodes[0].weight[0], 4);
  const double far = 0x1p50;
  const auto result = run_filter(make_fisher, two_classes({far + 1, far + 3, far + 5, far + 7}, {0, 0, 1, 1}), false);
  EXPECT_EQ(result.nodes[0].weight[0], 4);
}

TEST(Fisher, AFeatureWithAMissingValueComesLast) {
  const double nan = std::nan("");
  const auto result = run_filter(make_fisher, two_classes({nan, 5, 1, 5, 2, 5, 3, 5}, {0, 0, 1, 1}, 2), false);
  EXPECT_THAT(result.nodes[0].ranking, ::testing::ElementsAre(1, 0));
}

TEST(Fisher, ANodeWithOneChildThatHasSamplesScoresZero) {
  const auto result = run_filter(make_fisher, two_classes({1, 2, 4}, {0, 0, 0}), false);
  EXPECT_EQ(result.nodes[0].children, 1);
  EXPECT_EQ(result.nodes[0].weight[0], 0);
}

TEST(Fisher, ANodeWithoutSamplesRanksInFeatureOrder) {
  TaxonomyBuilder builder;
  builder.edge("root", "a");
  builder.edge("root", "b");
  builder.edge("b", "b1");
  Dataset::Parts parts{.features = {}, .labels = {{0, 1}, {}}, .taxonomy = builder.build()};
  DenseMatrix<double> m{1, 3, Buffer<double>(3)};
  std::ranges::copy(std::vector<double>{1, 2, 3}, m.values.begin());
  parts.features = std::move(m);
  parts.labels.nodes = {*parts.taxonomy->find("a")};
  const auto result = run_filter(make_fisher, Dataset(std::move(parts)), false);
  ASSERT_EQ(result.nodes.size(), 2U);
  EXPECT_EQ(result.nodes[1].samples, 0);
  EXPECT_THAT(result.nodes[1].ranking, ::testing::ElementsAre(0, 1, 2));
  EXPECT_THAT(result.nodes[1].weight, ::testing::Each(0));
}

TEST(Fisher, OnlyNodesAskedForAreRanked) {
  const Dataset data = random_dataset({.samples = 60, .nodes = 12, .seed = 4});
  const auto tables = node_tables(data);
  const auto internal = data.taxonomy().internal_nodes();
  ASSERT_GE(internal.size(), 2U);
  Context ctx;
  const auto result = make_fisher(false)->select({.data = data, .tables = tables, .nodes = {internal[1]}}, ctx);
  ASSERT_EQ(result.nodes.size(), 1U);
  EXPECT_EQ(result.nodes[0].node, internal[1]);
}

// Dense data are read by blocks for all nodes together, sparse ones node by node: to the last bit the same scores.
TEST(Fisher, DenseDataScoreAsSparseData) {
  for (const bool single : {false, true}) {
    const Dataset sparse = with_leaf_labels(random_dataset(
        {.samples = 2500, .features = 70, .nodes = 12, .several_labels = true, .sparse = true, .density = 1}));
    Context context({.threads = 1});
    std::vector<std::string> notes;
    const auto stored = [&](Storage storage) {
      DenseMatrix<double> copy{sparse.samples(), sparse.features(),
                               Buffer<double>(sparse.samples() * sparse.features())};
      std::fill(copy.values.begin(), copy.values.end(), 0.0);
      for (Index s = 0; s < sparse.samples(); ++s) {
        sparse.for_each_value(s, [&](FeatureIndex f, auto value) {
          copy.values[s * sparse.features() + f] = static_cast<double>(value) + 0.5;
        });
      }
      Dataset::Parts parts;
      parts.features =
          stored_as(std::move(copy), storage, single ? Precision::kFloat : Precision::kDouble, notes, context);
      return sparse.with_features(std::move(parts));
    };
    const FeatureRanking expected = run_filter(make_fisher, stored(Storage::kSparse), false);
    const FeatureRanking found = run_filter(make_fisher, stored(Storage::kDense), false);
    ASSERT_EQ(found.nodes.size(), expected.nodes.size());
    for (std::size_t k = 0; k < found.nodes.size(); ++k) {
      EXPECT_EQ(found.nodes[k].ranking, expected.nodes[k].ranking);
      EXPECT_EQ(found.nodes[k].weight, expected.nodes[k].weight);
    }
  }
}

TEST(Fisher, IsTheSameForAnyNumberOfThreads) {
  expect_same_for_any_number_of_threads(make_fisher);
}

}  // namespace
}  // namespace clade
