// Answers with a guarantee, from training to coverage on samples that the model has not seen.

#include "classify/conformal.h"

#include <clade/conformal.h>
#include <clade/data.h>
#include <clade/pipeline.h>
#include <clade/recipes.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "how_many.h"
#include "taxonomy/random_taxonomies.h"

namespace clade {
namespace {

// Samples around the centre of their classes, so near that classifiers confuse them.
class Source {
 public:
  Source(bool dag, bool several, std::uint64_t seed)
      : taxonomy_(random_taxonomy(9, dag, seed)), has_several_labels_(several), random_(seed, {kTestStream, 41}) {
    for (NodeId v = 0; v < taxonomy_.size(); ++v) {
      for (Index f = 0; f < kFeatures; ++f) centre_.push_back(random_.normal());
    }
  }

  Dataset draw(Index samples) {
    DenseMatrix<double> matrix{samples, kFeatures, Buffer<double>(samples * kFeatures)};
    LabelSets labels;
    const auto leaves = taxonomy_.leaves();
    for (Index s = 0; s < samples; ++s) {
      std::vector<NodeId> own{leaves[static_cast<std::size_t>(random_.below(std::ssize(leaves)))]};
      const NodeId second = leaves[static_cast<std::size_t>(random_.below(std::ssize(leaves)))];
      if (has_several_labels_ && second != own[0] && random_.uniform() < 0.5) own.push_back(second);
      std::ranges::sort(own);
      labels.nodes.insert(labels.nodes.end(), own.begin(), own.end());
      labels.offsets.push_back(std::ssize(labels.nodes));
      for (Index f = 0; f < kFeatures; ++f) {
        double value = 0.7 * random_.normal();
        for (const NodeId label : own) {
          value += centre_[static_cast<std::size_t>(label * kFeatures + f)] / static_cast<double>(own.size());
        }
        matrix.values[s * kFeatures + f] = value;
      }
    }
    return Dataset({.features = std::move(matrix), .labels = std::move(labels), .taxonomy = taxonomy_});
  }

 private:
  static constexpr Index kFeatures = 3;
  Taxonomy taxonomy_;
  bool has_several_labels_;
  RandomStream random_;
  std::vector<double> centre_;
};

Recipe quick_recipe(bool several) {
  Recipe recipe;
  recipe.classifier = several ? "top-down-svm" : "top-down-logistic";
  return recipe;
}

// Trees and DAGs, one label and several, 200 times each: new samples, a new split, a new model, new tests.
TEST(ConformalTraining, CoverageIsWithinItsBinomialErrorOver200Splits) {
  constexpr int kSplits = 200;
  constexpr Index kTested = 20;
  for (int k = 0; k < 4; ++k) {
    Source source(k % 2 == 1, k >= 2, static_cast<std::uint64_t>(k) + 3);
    Index held = 0;
    for (int split = 0; split < kSplits; ++split) {
      Context ctx({.threads = 1, .seed = static_cast<std::uint64_t>(split)});
      const Dataset data = source.draw(79);
      const Model model =
          train_conformal(data, quick_recipe(k >= 2), {.way = ConformalOptions::Way::kSplit, .share = 0.5}, {}, ctx);
      ASSERT_EQ(conformal_info(model)->samples, 40);
      const CoverageEvaluation found =
          evaluate_coverage(model, source.draw(kTested), {.coverage = 0.8, .set_size = 2}, ctx);
      ASSERT_EQ(found.all.samples, kTested);
      held += found.all.covered;
    }
    const double n = 40;
    const double mean = std::ceil((n + 1) * 0.8) / (n + 1);
    const double in_split = mean * (1 - mean) / (n + 2);
    const double error = 3.5 * std::sqrt((in_split + (mean * (1 - mean) - in_split) / kTested) / kSplits);
    const double share = static_cast<double>(held) / (kSplits * kTested);
    EXPECT_GT(share, mean - error) << k;
    EXPECT_LT(share, mean + error) << k;
  }
}

// Calibration by folds has no exact guarantee: what it gives stays near, and does not fall below 1 - 2 (1 - coverage).
TEST(ConformalTraining, CrossCalibrationComesNear) {
  constexpr int kSplits = 50;
  for (int k = 0; k < 4; ++k) {
    Source source(k % 2 == 1, k >= 2, static_cast<std::uint64_t>(k) + 3);
    Index held = 0;
    Index tested = 0;
    for (int split = 0; split < kSplits; ++split) {
      Context ctx({.threads = 1, .seed = static_cast<std::uint64_t>(split)});
      const Model model = train_conformal(source.draw(60), quick_recipe(k >= 2), {.folds = 4}, {}, ctx);
      ASSERT_EQ(conformal_info(model)->samples, 60);
      ASSERT_EQ(model.samples(), 60);
      const CoverageEvaluation found = evaluate_coverage(model, source.draw(40), {.coverage = 0.8}, ctx);
      held += found.all.covered;
      tested += found.all.samples;
    }
    const double share = static_cast<double>(held) / static_cast<double>(tested);
    EXPECT_GT(share, 0.77) << k;
    EXPECT_LT(share, 0.87) << k;
  }
}

// `prior` gives all samples the same scores: a threshold that is too low by the least amount loses many at once.
TEST(ConformalTraining, CrossCalibrationHoldsWhereAllScoresTie) {
  const int splits = testing::how_many(80, 200);
  for (int k = 0; k < 4; ++k) {
    for (const Guarantee guarantee : {Guarantee::kComplete, Guarantee::kCorrect}) {
      Source source(k % 2 == 1, k >= 2, static_cast<std::uint64_t>(k) + 3);
      Index held = 0;
      Index tested = 0;
      for (int split = 0; split < splits; ++split) {
        Context ctx({.threads = 1, .seed = static_cast<std::uint64_t>(split)});
        Recipe recipe;
        recipe.classifier = "prior";
        const Model model = train_conformal(source.draw(79), recipe, {.folds = 4}, {}, ctx);
        const CoverageEvaluation found =
            evaluate_coverage(model, source.draw(20), {.coverage = 0.8, .guarantee = guarantee}, ctx);
        held += found.all.covered;
        tested += found.all.samples;
      }
      EXPECT_GT(static_cast<double>(held) / static_cast<double>(tested), 0.78) << k;
    }
  }
}

std::vector<float> scores_of(const Model& model) {
  const ConformalScores& scores = *model.body().conformal;
  return scores.by_class() ? scores.own : scores.complete;
}

TEST(ConformalTraining, NumbersDoNotDependOnThreads) {
  for (const bool several : {false, true}) {
    for (const auto way : {ConformalOptions::Way::kSplit, ConformalOptions::Way::kCross}) {
      std::vector<float> expected;
      Predictions answers;
      for (const int threads : {1, 2, 3}) {
        Source source(true, several, 7);
        const Dataset data = source.draw(150);
        Context ctx({.threads = threads});
        const Model model = train_conformal(data, quick_recipe(several), {.way = way, .by_class = !several}, {}, ctx);
        const Predictions found = predict_covering(model, source.draw(100), {.coverage = 0.7, .set_size = 3}, ctx);
        if (threads == 1) {
          expected = scores_of(model);
          answers = found;
        }
        EXPECT_EQ(scores_of(model), expected);
        EXPECT_EQ(found.labels, answers.labels);
        EXPECT_EQ(found.scores, answers.scores);
      }
    }
  }
}

TEST(ConformalTraining, SamplesWithoutWeightOrLabelTakeNoPart) {
  Source source(false, false, 5);
  const Dataset data = source.draw(90);
  std::vector<double> weights(90, 1);
  for (std::size_t s = 0; s < 90; s += 3) weights[s] = 0;
  Context ctx({.threads = 2});
  const Model model = train_conformal(data, quick_recipe(false), {.folds = 3}, weights, ctx);
  EXPECT_EQ(conformal_info(model)->samples, 60);
  EXPECT_EQ(model.samples(), 60);
}

TEST(ConformalTraining, BadRequestsAreRefused) {
  Source source(false, true, 5);
  const Dataset data = source.draw(30);
  Context ctx({.threads = 1});
  EXPECT_THROW(train_conformal(data, quick_recipe(true), {.by_class = true}, {}, ctx), Error);
  EXPECT_THROW(train_conformal(data, quick_recipe(true), {.folds = 31}, {}, ctx), Error);
  EXPECT_THROW(train_conformal(data, quick_recipe(true), {.folds = 1}, {}, ctx), Error);
  EXPECT_THROW(train_conformal(data, quick_recipe(true), {.way = ConformalOptions::Way::kSplit, .share = 1}, {}, ctx),
               Error);
  for (const char* const text : {"", "x", "split:", "split:0", "split:100%", "split:20%x", "cross:", "cross:1",
                                 "cross:2.5", "cross:-3", "20%", "split 20%"}) {
    EXPECT_THROW(parse_conformal(text), Error) << text;
  }
  EXPECT_EQ(parse_conformal("split:30%").share, 0.3);
  EXPECT_EQ(parse_conformal("split:0.25").share, 0.25);
  EXPECT_EQ(parse_conformal("cross:10").folds, 10);
}

// The interval contains the share, and holds it with probability 0.95: at its ends the binomial tails are 0.025.
TEST(Covered, HasTheIntervalOfClopperAndPearson) {
  const auto at_most = [](Index k, Index n, double p) {
    double sum = 0;
    for (Index i = 0; i <= k; ++i) {
      const auto a = static_cast<double>(i);
      const auto b = static_cast<double>(n - i);
      sum += std::exp(std::lgamma(a + b + 1) - std::lgamma(a + 1) - std::lgamma(b + 1) + a * std::log(p) +
                      b * std::log1p(-p));
    }
    return sum;
  };
  Source source(false, false, 5);
  Context ctx({.threads = 1});
  const Model model = train_conformal(source.draw(90), quick_recipe(false), {}, {}, ctx);
  for (const Index tested : {1, 7, 40}) {
    const CoverageEvaluation found = evaluate_coverage(model, source.draw(tested), {.coverage = 0.6}, ctx);
    for (const Covered& part : found.levels) {
      if (part.covered > 0) {
        EXPECT_NEAR(1 - at_most(part.covered - 1, part.samples, part.low), 0.025, 1e-9);
      } else {
        EXPECT_EQ(part.low, 0);
      }
      if (part.covered < part.samples) {
        EXPECT_NEAR(at_most(part.covered, part.samples, part.high), 0.025, 1e-9);
      } else {
        EXPECT_EQ(part.high, 1);
      }
    }
  }
}

}  // namespace
}  // namespace clade
