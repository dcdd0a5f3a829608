#include "classify/node_scores.h"

#include <clade/train.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "classify/predict.h"
#include "classify/trained_models.h"
#include "core/random.h"
#include "taxonomy/random_taxonomies.h"

namespace clade {
namespace {

using testing::trained;

NodeScores scores_of(const ModelBody& model, const Dataset& data, int threads = 2,
                     Consistency consistency = Consistency::kDescendants) {
  Context ctx({.threads = threads});
  return node_scores(model, data, consistency, ctx);
}

// Models of all classifiers on random trees and DAGs with one or several labels; those that refuse the data are left
// out: visit(model, data).
template <class Visit>
void for_each_classifier(const Visit& visit) {
  int models = 0;
  for (int k = 0; k < 16; ++k) {
    const Dataset data = random_dataset(testing::random_training_options(k));
    for (const MethodInfo& method : classifiers()) {
      std::optional<ModelBody> model;
      try {
        model = trained(data, std::string(method.name));
      } catch (const Error&) {
        continue;  // such as hieron, which wants trees and one label
      }
      SCOPED_TRACE("problem " + std::to_string(k) + " " + std::string(method.name));
      visit(*model, data);
      ++models;
    }
  }
  EXPECT_GE(models, 100);
}

TEST(MakeConsistent, IsTheLargestBelowOrTheSmallestAbove) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Taxonomy taxonomy = random_taxonomy(static_cast<NodeId>(1 + seed % 40), seed % 2 == 0, seed);
    RandomStream random(seed, {kTestStream, 7});
    std::vector<double> given(static_cast<std::size_t>(taxonomy.size()));
    for (double& value : given) value = random.uniform();
    std::vector<double> down = given;
    std::vector<double> up = given;
    make_consistent(taxonomy, down, Consistency::kDescendants);
    make_consistent(taxonomy, up, Consistency::kAncestors);
    for (NodeId v = 0; v < taxonomy.size(); ++v) {
      double largest = given[static_cast<std::size_t>(v)];
      for (const NodeId below : taxonomy.descendants(v)) {
        largest = std::max(largest, given[static_cast<std::size_t>(below)]);
      }
      double smallest = given[static_cast<std::size_t>(v)];
      for (const NodeId above : taxonomy.ancestors(v)) {
        smallest = std::min(smallest, given[static_cast<std::size_t>(above)]);
      }
      EXPECT_EQ(down[static_cast<std::size_t>(v)], largest);
      EXPECT_EQ(up[static_cast<std::size_t>(v)], smallest);
    }
  }
}

TEST(NodeScores, NeverRiseOnTheWayDownWhateverTheClassifier) {
  for_each_classifier([](const ModelBody& model, const Dataset& data) {
    for (const Consistency consistency : {Consistency::kDescendants, Consistency::kAncestors}) {
      const NodeScores scores = scores_of(model, data, 2, consistency);
      ASSERT_EQ(scores.samples(), data.samples());
      ASSERT_EQ(scores.nodes, data.taxonomy().size());  // miscellaneous leaves are folded
      for (Index s = 0; s < data.samples(); ++s) {
        const auto row = scores.of(s);
        EXPECT_EQ(row[0], 1);
        for (NodeId v = 1; v < scores.nodes; ++v) {
          EXPECT_GE(row[static_cast<std::size_t>(v)], 0);
          for (const NodeId parent : data.taxonomy().parents(v)) {
            EXPECT_LE(row[static_cast<std::size_t>(v)], row[static_cast<std::size_t>(parent)]);
          }
        }
      }
    }
  });
}

TEST(NodeScores, DoNotDependOnThreadsOrOtherSamples) {
  for_each_classifier([](const ModelBody& model, const Dataset& data) {
    const NodeScores all = scores_of(model, data, 1);
    EXPECT_EQ(all.values, scores_of(model, data, 3).values);
    const std::vector<Index> some{3, 17, 18, 30};
    const NodeScores alone = scores_of(model, data.subset(some));
    for (std::size_t k = 0; k < some.size(); ++k) {
      EXPECT_TRUE(std::ranges::equal(alone.of(static_cast<Index>(k)), all.of(some[k])));
    }
  });
}

// Where samples have one label, the best label is the node without children that has the largest score.
TEST(NodeScores, AgreeWithThePredictionOfOneLabel) {
  for_each_classifier([](const ModelBody& model, const Dataset& data) {
    if (model.is_multilabel || !data.taxonomy().is_tree()) return;
    if (model.taxonomy->size() != data.taxonomy().size()) return;  // with miscellaneous leaves
    const NodeScores scores = scores_of(model, data);
    Context ctx({.threads = 2});
    const Predictions predictions = predict(model, data, {.policy = Policy::kBest}, ctx);
    for (Index s = 0; s < data.samples(); ++s) {
      const NodeId label = predictions.labels_of(s)[0];
      double largest = 0;
      double sum = 0;
      for (const NodeId leaf : data.taxonomy().leaves()) {
        largest = std::max(largest, scores.of(s)[static_cast<std::size_t>(leaf)]);
        sum += scores.of(s)[static_cast<std::size_t>(leaf)];
      }
      EXPECT_NEAR(scores.of(s)[static_cast<std::size_t>(label)], largest, 1e-12);
      EXPECT_NEAR(sum, 1, 1e-9);
      for (const NodeId node : data.taxonomy().internal_nodes()) {
        double below = 0;
        for (const NodeId leaf : data.taxonomy().leaves_below(node)) {
          below += scores.of(s)[static_cast<std::size_t>(leaf)];
        }
        EXPECT_NEAR(scores.of(s)[static_cast<std::size_t>(node)], below, 1e-9);
      }
    }
  });
}

// Probability flow, by walking every path from the root by itself.
TEST(NodeScores, OfATopDownModelAreSumsOverPaths) {
  for (int k = 0; k < 16; ++k) {
    const RandomDataOptions options = testing::random_training_options(k);
    if (options.several_labels) continue;
    const Dataset data = random_dataset(options);
    const ModelBody model = trained(data, "top-down-logistic");
    const NodeScores scores = scores_of(model, data);
    for (Index s = 0; s < 5; ++s) {
      std::vector<double> flow(static_cast<std::size_t>(model.taxonomy->size()), 0);
      const std::function<void(NodeId, double)> walk = [&](NodeId at, double p) {
        flow[static_cast<std::size_t>(at)] += p;
        const NodeClassifier* const node = model.at(at);
        if (node == nullptr) return;
        const testing::Judged judged = testing::slow_judgement(model, *node, data, s);
        for (std::size_t c = 0; c < node->children.size(); ++c) walk(node->children[c], p * judged.probabilities[c]);
      };
      walk(0, 1);
      make_consistent(*model.taxonomy, flow);
      for (NodeId v = 0; v < scores.nodes; ++v) {
        EXPECT_NEAR(scores.of(s)[static_cast<std::size_t>(v)], flow[static_cast<std::size_t>(v)], 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace clade
