// Tuning by the samples that candidates are really learnt from.

#include "experiment/tuning.h"

#include <clade/data.h>
#include <clade/error.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace clade {
namespace {

Dataset samples_of_classes(Index samples) {
  SyntheticOptions options;
  options.samples = samples;
  options.features = 6;
  options.single_label = true;
  Context ctx({.threads = 1, .seed = 3});
  return synthetic_data(options, ctx);
}

// Plans that count the samples that they are learnt from. The later ones are better: they learn, and the first guess.
struct CountedPlans {
  explicit CountedPlans(std::size_t count) : trained(count, 0) {
    for (std::size_t k = 0; k < count; ++k) {
      Recipe recipe;
      recipe.classifier = k + 1 == count ? "top-down-logistic" : "prior";
      LearningPlan plan{recipe};
      plan.choose = [this, k, recipe](const Dataset&, const std::vector<Index>& samples, double&, Context&) {
        trained[k] += std::ssize(samples);
        return recipe;
      };
      plans.push_back(std::move(plan));
    }
  }
  std::vector<Index> trained;
  std::vector<LearningPlan> plans;
};

std::size_t best_of(CountedPlans& counted, const Dataset& data, const TuneOptions& tune) {
  Context ctx({.threads = 1});
  double spared = 0;
  return best_plan(data, counted.plans, tune, {}, {}, spared, ctx);
}

TEST(Tuning, AWholeGridLearnsEachCandidateOnAllFolds) {
  const Dataset data = samples_of_classes(120);
  CountedPlans counted(5);
  EXPECT_EQ(best_of(counted, data, {.folds = 3}), 4U);
  for (const Index samples : counted.trained) EXPECT_EQ(samples, 2 * 120);
}

TEST(Tuning, HalvingStaysWithinItsBudget) {
  const Dataset data = samples_of_classes(200);
  for (const std::size_t candidates : {2U, 3U, 7U, 12U}) {
    for (const Index budget : {2, 3, 5, 9, 40}) {
      const TuneOptions tune{.folds = 3, .halving = true, .budget = budget};
      CountedPlans counted(candidates);
      const std::size_t best = best_of(counted, data, tune);
      if (budget >= static_cast<Index>(candidates)) {  // fewer samples say little
        EXPECT_EQ(best, candidates - 1);
      }
      Index learnt = 0;
      for (const Index samples : counted.trained) learnt += samples;
      // Two of three folds are learnt from at a time, three times.
      const double trainings = static_cast<double>(learnt) / (2.0 * 200);
      EXPECT_LE(trainings, static_cast<double>(budget)) << candidates;
      EXPECT_GT(trainings, 0.5 * std::min(static_cast<double>(budget), static_cast<double>(candidates))) << candidates;
    }
  }
}

TEST(Tuning, RoundsHalveTheCandidatesAndDoubleTheSamples) {
  for (const std::size_t candidates : {2U, 3U, 8U, 100U, 1000U}) {
    for (const Index budget : {0, 5, 20, 100}) {
      const auto rounds = halving_rounds(candidates, 10'000, {.folds = 3, .halving = true, .budget = budget});
      ASSERT_EQ(rounds.size(), static_cast<std::size_t>(std::ceil(std::log2(static_cast<double>(candidates)))));
      double work = 0;
      for (std::size_t r = 0; r < rounds.size(); ++r) {
        work += static_cast<double>(rounds[r].candidates) * static_cast<double>(rounds[r].samples) / 10'000;
        if (r == 0) continue;
        EXPECT_EQ(rounds[r].candidates, (rounds[r - 1].candidates + 1) / 2);
        EXPECT_GE(rounds[r].samples, rounds[r - 1].samples);
        EXPECT_LE(rounds[r].samples, 2 * rounds[r - 1].samples + 1);
      }
      if (budget == 0) {
        EXPECT_EQ(rounds.back().samples, 10'000);
      } else {
        EXPECT_LE(work, static_cast<double>(budget));
      }
    }
  }
}

TEST(Tuning, ABudgetThatLeavesTooFewSamplesIsRefused) {
  EXPECT_THROW(halving_rounds(1000, 100, {.folds = 3, .halving = true, .budget = 10}), Error);
}

TEST(Tuning, CandidatesThatCannotBeLearntArePassedOver) {
  const Dataset data = samples_of_classes(60);
  CountedPlans counted(3);
  for (const std::size_t k : {0U, 2U}) {
    counted.plans[k].choose = [](const Dataset&, const std::vector<Index>&, double&, Context&) -> Recipe {
      throw usage_error("this one cannot");
    };
  }
  EXPECT_EQ(best_of(counted, data, {.folds = 2}), 1U);
  EXPECT_EQ(best_of(counted, data, {.folds = 2, .halving = true}), 1U);
  counted.plans.erase(counted.plans.begin() + 1);
  EXPECT_THROW(best_of(counted, data, {.folds = 2}), Error);
}

}  // namespace
}  // namespace clade
