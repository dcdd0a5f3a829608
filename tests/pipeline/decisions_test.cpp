// How label sets are decided is learnt with the recipe, kept in the model file, and followed by predict().

#include <clade/conformal.h>
#include <clade/data.h>
#include <clade/pipeline.h>
#include <clade/recipes.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "classify/decide/label_decisions.h"
#include "classify/model_body.h"
#include "data/random_data.h"
#include "temporary_folder.h"

namespace clade {
namespace {

// Labels that the features know something of.
Dataset informative(Context& ctx) {
  return synthetic_data({.depth = 3, .fanout = 3, .features = 12, .samples = 100}, ctx);
}

Dataset noise(bool dag) {
  return random_dataset(
      {.samples = 160, .nodes = 12, .dag = dag, .several_labels = true, .inner_labels = true, .seed = 5});
}

const std::vector<std::string> kClassifiers = {
    "top-down-svm",    "top-down-logistic",       "path-svm",    "dnc-svm", "flat-svm", "hierarchical-svm",
    "flat-perceptron", "hierarchical-perceptron", "kernel-ridge"};

using Nodes = std::set<NodeId>;

Nodes closed(const Taxonomy& taxonomy, std::span<const NodeId> labels) {
  Nodes nodes(labels.begin(), labels.end());
  for (const NodeId label : labels) {
    for (const NodeId above : taxonomy.ancestors(label)) nodes.insert(above);
  }
  nodes.erase(taxonomy.root());
  return nodes;
}

bool same(const Predictions& a, const Predictions& b) {
  return a.offsets == b.offsets && a.labels == b.labels && a.scores == b.scores;
}

TEST(Decisions, PredictTakesTheNodesWhoseMixedScoresReachTheirThresholds) {
  Context ctx({.threads = 2});
  const Dataset data = informative(ctx);
  for (const std::string& classifier : kClassifiers) {
    for (const DecideBy by : {DecideBy::kOne, DecideBy::kNode}) {
      Recipe recipe;
      recipe.classifier = classifier;
      recipe.decide.by = by;
      recipe.decide.folds = 2;
      const Model model = train(data, recipe, ctx);
      const ModelBody& body = model.body();
      ASSERT_TRUE(body.decisions) << classifier;
      const LabelDecisions& mix = *body.decisions;
      const NodeScores scores = node_scores(model, data, ctx);
      const Predictions found = predict(model, data, {}, ctx);
      for (Index s = 0; s < data.samples(); ++s) {
        Nodes expected;
        NodeId best = 1;
        double largest = -1;
        for (NodeId node = 1; node < static_cast<NodeId>(scores.nodes); ++node) {
          const auto at = static_cast<std::size_t>(node);
          const double mixed = (1 - mix.trust) * mix.frequency[at] + mix.trust * mix.map(scores.of(s)[at]);
          if (mixed >= body.node_threshold[at]) expected.insert(node);
          if (mixed > largest) best = node;
          largest = std::max(largest, mixed);
        }
        if (expected.empty()) expected.insert(best);
        EXPECT_EQ(closed(model.taxonomy(), found.labels_of(s)), expected) << classifier << " sample " << s;
      }
      const TemporaryFolder folder;
      write_model(model, folder.file("m.clade"));
      const Model read = read_model(folder.file("m.clade"));
      EXPECT_TRUE(same(found, predict(read, data, {}, ctx))) << classifier;
      EXPECT_EQ(read.body().node_threshold, body.node_threshold);
      Context other({.threads = 1});
      EXPECT_TRUE(same(found, predict(train(data, recipe, other), data, {}, other))) << classifier;
    }
  }
}

TEST(Decisions, FeaturesThatSayNothingGiveWhatPriorGives) {
  Context ctx({.threads = 2});
  for (const bool dag : {false, true}) {
    const Dataset data = noise(dag);
    const Model prior = train(data, {.classifier = "prior"}, ctx);
    const Predictions wanted = predict(prior, data, {}, ctx);
    for (const char* const classifier : {"top-down-svm", "hierarchical-perceptron", "flat-svm"}) {
      const Model model = train(data, {.classifier = classifier}, ctx);
      ASSERT_TRUE(model.body().decisions) << classifier;
      EXPECT_EQ(model.body().decisions->trust, 0) << classifier;
      const Predictions found = predict(model, data, {}, ctx);
      for (Index s = 0; s < data.samples(); ++s) {
        EXPECT_EQ(closed(model.taxonomy(), found.labels_of(s)), closed(prior.taxonomy(), wanted.labels_of(s)));
      }
    }
  }
}

TEST(Decisions, OwnWayIsThatOfTheClassifierAlone) {
  Context ctx({.threads = 2});
  const Dataset data = informative(ctx);
  for (const char* const classifier : {"top-down-svm", "hierarchical-svm"}) {
    Recipe recipe{.classifier = classifier};
    recipe.decide.by = DecideBy::kOne;
    const Model decided = train(data, recipe, ctx);
    recipe.decide.by = DecideBy::kOwn;
    const Model own = train(data, recipe, ctx);
    EXPECT_FALSE(own.body().decisions);
    EXPECT_TRUE(own.body().node_threshold.empty());
    // Asked for its own way, a model with thresholds answers likewise.
    PredictOptions way;
    if (decided.body().kind == ModelKind::kTopDown) way.policy = Policy::kGreedy;
    if (decided.body().kind == ModelKind::kClasses) way.label_set = LabelSet::kThreshold;
    EXPECT_TRUE(same(predict(own, data, {}, ctx), predict(decided, data, way, ctx))) << classifier;
    EXPECT_FALSE(same(predict(own, data, {}, ctx), predict(decided, data, {}, ctx))) << classifier;
  }
}

TEST(Decisions, OneLabelPerSampleIsLeftAlone) {
  Context ctx({.threads = 2});
  const Dataset data = random_dataset({.samples = 120, .nodes = 10, .seed = 3});
  Recipe recipe{.classifier = "top-down-svm"};
  recipe.decide.by = DecideBy::kNode;
  const Model model = train(data, recipe, ctx);
  EXPECT_FALSE(model.body().decisions);
  EXPECT_TRUE(model.body().node_threshold.empty());
}

TEST(Decisions, CrossValidationMeasuresTheDecidedSets) {
  Context ctx({.threads = 2});
  const Dataset data = informative(ctx);
  const std::vector<int> dealt = stratified_folds(data, 2, 1);
  const std::vector<Index> folds(dealt.begin(), dealt.end());
  Recipe recipe{.classifier = "flat-svm"};
  recipe.decide.by = DecideBy::kOne;
  const CrossValidation sets = cross_validate(data, recipe, folds, {}, {}, ctx);
  const CrossValidation ranked = cross_validate(data, recipe, folds, {}, {.is_ranked = true}, ctx);
  EXPECT_TRUE(same(sets.decided, sets.predictions));
  EXPECT_TRUE(same(ranked.decided, sets.predictions));
  const Evaluation at_once = evaluate(data, recipe, folds, {}, {}, {}, ctx);
  const Evaluation by_hand = evaluate(data, sets.predictions, {.label_set = LabelSet::kAll}, folds, ctx);
  EXPECT_EQ(at_once.value("hierarchical_f1"), by_hand.value("hierarchical_f1"));
  EXPECT_TRUE(at_once.value("average_precision").has_value());
}

}  // namespace
}  // namespace clade
