#include <clade/train.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "classify/node_scores.h"
#include "classify/nodes/forest_explain.h"
#include "classify/nodes/node_model.h"
#include "classify/trained_models.h"
#include "core/random.h"
#include "data/closed_labels.h"

namespace clade {
namespace {

using testing::trained;

std::vector<double> row_of(const Dataset& data, Index sample) {
  std::vector<double> row(static_cast<std::size_t>(data.features()));
  copy_row(data, sample, row);
  return row;
}

Matrix sums_of(const ModelBody& model, const Dataset& data, int threads = 2) {
  Context ctx({.threads = threads});
  return node_sums(model, data, 0, data.samples(), ctx);
}

Dataset training_data(int k) {
  RandomDataOptions options = testing::random_training_options(k);
  options.samples = 120;
  return with_leaf_labels(random_dataset(options));
}

// Every value is missing with the given probability; the column `lost`, if it is not negative, always.
Dataset with_gaps(const Dataset& data, double probability, FeatureIndex lost) {
  RandomStream random(5, {kTestStream});
  DenseMatrix<double> matrix{data.samples(), data.features(), Buffer<double>(data.samples() * data.features())};
  for (Index s = 0; s < data.samples(); ++s) {
    const std::vector<double> row = row_of(data, s);
    for (std::size_t f = 0; f < row.size(); ++f) {
      const bool is_lost = random.uniform() < probability || static_cast<FeatureIndex>(f) == lost;
      matrix.values[s * data.features() + static_cast<Index>(f)] =
          is_lost ? std::numeric_limits<double>::quiet_NaN() : row[f];
    }
  }
  Dataset::Parts parts;
  parts.features = std::move(matrix);
  return data.with_features(std::move(parts));
}

TEST(Forest, ScoresAreMeansOfTheTrainingSamplesInTheSameLeaves) {
  for (int k = 0; k < 16; ++k) {
    const Dataset data = training_data(k);
    const ModelBody model = trained(data, "forest", {{"trees", "7"}});
    const NodeModel& nodes = *model.node_model;
    const Matrix sums = sums_of(model, data);
    const ClosedLabels labels = closed_labels(data, {});
    ASSERT_EQ(nodes.nodes, labels.nodes);
    for (Index s = 0; s < data.samples(); s += 11) {
      std::vector<double> expected(nodes.nodes.size(), 0);
      for (const ClusteringTree& tree : nodes.forest->trees) {
        const std::int32_t leaf = tree.leaf_of(row_of(data, s));
        std::vector<Index> together;
        for (Index other = 0; other < data.samples(); ++other) {
          if (tree.leaf_of(row_of(data, other)) == leaf) together.push_back(other);
        }
        EXPECT_GE(together.size(), 5U);
        for (const Index other : together) {
          for (const std::int32_t c : labels.members.of(other)) {
            expected[static_cast<std::size_t>(c)] += 1 / static_cast<double>(together.size()) / 7;
          }
        }
      }
      for (std::size_t c = 0; c < expected.size(); ++c) EXPECT_NEAR(sums(s, static_cast<Index>(c)), expected[c], 1e-6);
    }
  }
}

TEST(Forest, ScoresNeverRiseOnTheWayDown) {
  for (int k = 0; k < 16; ++k) {
    const Dataset data = training_data(k);
    const ModelBody model =
        trained(data, "forest", {{"trees", "9"}, {"ensemble", k % 3 == 0 ? "bagging" : "extra-trees"}});
    const std::vector<NodeId>& nodes = model.node_model->nodes;
    const Matrix sums = sums_of(model, data);
    for (std::size_t c = 0; c < nodes.size(); ++c) {
      for (std::size_t above = 0; above < nodes.size(); ++above) {
        if (!model.taxonomy->is_ancestor(nodes[above], nodes[c])) continue;
        for (Index s = 0; s < data.samples(); ++s) {
          EXPECT_GE(sums(s, static_cast<Index>(above)), sums(s, static_cast<Index>(c)));
        }
      }
    }
  }
}

TEST(Forest, SameBitsForAnyNumberOfThreads) {
  for (int k = 0; k < 8; ++k) {
    const Dataset data = training_data(k);
    for (const char* ensemble : {"extra-trees", "bagging"}) {
      const Parameters parameters{{"trees", "12"}, {"ensemble", ensemble}};
      const ModelBody one = trained(data, "forest", parameters, 1);
      const ModelBody four = trained(data, "forest", parameters, 4);
      for (std::size_t t = 0; t < 12; ++t) {
        const ClusteringTree& a = one.node_model->forest->trees[t];
        const ClusteringTree& b = four.node_model->forest->trees[t];
        EXPECT_EQ(a.feature, b.feature);
        EXPECT_EQ(a.threshold, b.threshold);
        EXPECT_EQ(a.leaf_share, b.leaf_share);
      }
      EXPECT_EQ(one.node_threshold, four.node_threshold);
      EXPECT_EQ(one.node_model->map.value, four.node_model->map.value);
      EXPECT_EQ(one.node_model->temperature, four.node_model->temperature);
      EXPECT_EQ(sums_of(one, data, 1), sums_of(four, data, 4));
    }
  }
}

TEST(Forest, HandlesMissingValues) {
  const Dataset whole = training_data(4);
  const Dataset data = with_gaps(whole, 0.3, 1);
  for (const char* ensemble : {"extra-trees", "bagging"}) {
    const ModelBody model = trained(data, "forest", {{"trees", "20"}, {"ensemble", ensemble}});
    EXPECT_TRUE(sums_of(model, data).allFinite());
    for (const ClusteringTree& tree : model.node_model->forest->trees) {
      EXPECT_EQ(std::ranges::count(tree.feature, 1), 0) << "a column without values splits nothing";
    }
    // New samples may lack values where no training sample does, even all of them.
    EXPECT_TRUE(sums_of(trained(whole, "forest", {{"trees", "5"}}), with_gaps(whole, 1, 0)).allFinite());
    Context ctx;
    EXPECT_EQ(node_scores(model, data, Consistency::kDescendants, ctx).values.size() % 120, 0U);
  }
  EXPECT_THROW(trained(data, "top-down-svm"), Error);
}

TEST(Forest, RefusesInfiniteValues) {
  const Taxonomy taxonomy = training_data(0).taxonomy();
  const std::string leaf = taxonomy.name(taxonomy.leaves()[0]);
  const std::vector<std::vector<std::string>> labels(2, {leaf});
  const std::vector<double> values{1, std::numeric_limits<double>::infinity()};
  EXPECT_THROW(trained(dense_dataset(values, 1, labels, taxonomy), "forest"), Error);
}

TEST(Forest, OneSampleAndConstantLabels) {
  const Dataset data = training_data(0);
  for (const std::vector<Index>& rows : {std::vector<Index>{3}, std::vector<Index>(20, 3)}) {
    const Dataset few = data.subset(rows);
    for (const char* ensemble : {"extra-trees", "bagging"}) {
      const ModelBody model = trained(few, "forest", {{"trees", "3"}, {"ensemble", ensemble}});
      EXPECT_TRUE((sums_of(model, few).array() == 1).all());
    }
  }
}

TEST(Forest, ACommonFactorOfAllWeightsChangesNothing) {
  const Dataset data = training_data(4);
  Context ctx;
  const auto with_weight = [&](double weight) {
    return train_model(data,
                       {.classifier = "forest",
                        .parameters = {{"trees", "6"}},
                        .ranking = {},
                        .top = 0,
                        .weight = std::vector<double>(static_cast<std::size_t>(data.samples()), weight)},
                       ctx);
  };
  EXPECT_EQ(sums_of(with_weight(1), data), sums_of(with_weight(4), data));
}

TEST(ForestExplanation, ContributionsAddUpToTheScore) {
  for (int k = 0; k < 8; ++k) {
    const Dataset data = training_data(k);
    const ModelBody model = trained(data, "forest", {{"trees", "8"}});
    const Matrix sums = sums_of(model, data);
    const ClosedLabels labels = closed_labels(data, {});
    for (std::int32_t c = 0; c < static_cast<std::int32_t>(labels.columns()); ++c) {
      for (Index s = 0; s < data.samples(); s += 40) {
        double sum = labels.frequency[static_cast<std::size_t>(c)];  // the mean at all roots
        for (const double part : path_contributions(*model.node_model->forest, data.features(), c, row_of(data, s))) {
          sum += part;
        }
        EXPECT_NEAR(sum, sums(s, c), 1e-6);
      }
    }
  }
}

// All splits of a tree together take away the variance at its root but what is left in the leaves.
TEST(ForestExplanation, ImportancesAddUpToTheVarianceExplained) {
  for (int k = 0; k < 8; ++k) {
    const Dataset data = training_data(k);
    const ModelBody model = trained(data, "forest", {{"trees", "1"}});
    const Matrix sums = sums_of(model, data);
    const ClosedLabels labels = closed_labels(data, {});
    for (std::int32_t c = 0; c < static_cast<std::int32_t>(labels.columns()); ++c) {
      const double mean = labels.frequency[static_cast<std::size_t>(c)];
      double explained = 0;
      for (Index s = 0; s < data.samples(); ++s) explained += (sums(s, c) - mean) * (sums(s, c) - mean) / 120;
      double sum = 0;
      for (const double part : signed_importance(*model.node_model->forest, data.features(), c)) sum += std::abs(part);
      EXPECT_NEAR(sum, explained, 1e-6);
    }
  }
}

TEST(ForestExplanation, StepsAreMarginsOverRivals) {
  for (int k = 4; k < 8; ++k) {
    const Dataset data = training_data(k);
    const ModelBody model = trained(data, "forest");
    const std::vector<NodeId>& nodes = model.node_model->nodes;
    const Matrix sums = sums_of(model, data);
    const auto score = [&](NodeId node) { return sums(0, std::ranges::find(nodes, node) - nodes.begin()); };
    const std::vector<Step> steps = explain_forest(model, data, 0, nodes.back(), 3);
    ASSERT_FALSE(steps.empty());
    EXPECT_EQ(steps.front().node, model.taxonomy->root());
    EXPECT_EQ(steps.back().child, nodes.back());
    for (std::size_t s = 0; s < steps.size(); ++s) {
      if (s > 0) {
        EXPECT_EQ(steps[s].node, steps[s - 1].child);
      }
      if (steps[s].rival == kNoNode) continue;
      EXPECT_NEAR(steps[s].margin, score(steps[s].child) - score(steps[s].rival), 1e-9);
      EXPECT_LE(steps[s].reasons.size(), 3U);
    }
    EXPECT_THROW(telling_of_forest(model, model.taxonomy->root(), 3), Error);
  }
}

}  // namespace
}  // namespace clade
