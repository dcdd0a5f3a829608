#include "classify/conformal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "classify/conformal_support.h"

namespace clade {
namespace {

using testing::ScoredProblem;
using testing::ScoredSample;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ConformalThreshold, IsTheRankThatTheDefinitionNames) {
  std::vector<float> scores;
  for (int n = 1; n <= 120; ++n) {
    scores.push_back(static_cast<float>(n) / 128);
    for (const int percent : {1, 10, 50, 80, 90, 95, 99}) {
      const int rank = (percent * (n + 1) + 99) / 100;  // rounded up, in whole numbers
      const double expected = rank > n ? kInfinity : static_cast<double>(scores[static_cast<std::size_t>(rank) - 1]);
      EXPECT_EQ(conformal_threshold(scores, percent / 100.0), expected) << n << " " << percent;
    }
  }
}

CoverageRule rule_of(const ScoredProblem& problem, Guarantee guarantee, Index size, double threshold) {
  return {.space = problem.space(),
          .guarantee = guarantee,
          .set_size = size,
          .threshold = threshold,
          .classes = {},
          .note = {}};
}

double score_of(const CalibrationScore& score, Guarantee guarantee, Index size) {
  return guarantee == Guarantee::kCorrect ? score.correct : score.complete[static_cast<std::size_t>(size) - 1];
}

// What the guarantee rests on: an answer holds exactly from the sample's own score on.
TEST(CalibrationScore, IsWhereTheGuaranteeBeginsToHold) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const ScoredProblem problem(static_cast<NodeId>(2 + seed * 5 % 30), seed % 3 == 0, seed % 4 < 2, seed);
    RandomStream random(seed, {kTestStream, 33});
    const ScoredSample sample = problem.draw(random);
    const CalibrationScore score = calibration_score(problem.space(), sample.scores, sample.labels);
    for (const Guarantee guarantee : {Guarantee::kComplete, Guarantee::kCorrect}) {
      for (Index size = 1; size <= kLargestSetSize; ++size) {
        const auto own = static_cast<float>(score_of(score, guarantee, size));
        std::vector<float> thresholds{own, std::nextafter(own, -1.0F), 0, 1};
        for (int k = 0; k < 10; ++k) thresholds.push_back(static_cast<float>(random.uniform()));
        for (const float threshold : thresholds) {
          if (threshold < 0) continue;
          // Any answer is correct if nodes are left out; the score is of the answer with all of them.
          const Index limit = guarantee == Guarantee::kCorrect ? 0 : size;
          const auto answer = covering_nodes(rule_of(problem, guarantee, limit, threshold), sample.scores);
          EXPECT_EQ(holds(guarantee, problem.taxonomy, answer, sample.labels), own <= threshold);
        }
      }
    }
  }
}

TEST(CoveringNodes, CorrectAnswersAreTheMostSpecificNodesThatAreSure) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const ScoredProblem problem(static_cast<NodeId>(2 + seed * 5 % 30), seed % 2 == 0, true, seed);
    RandomStream random(seed, {kTestStream, 34});
    const ScoredSample sample = problem.draw(random);
    const double threshold = random.uniform();
    std::vector<NodeId> expected;
    for (NodeId v = 0; v < problem.taxonomy.size(); ++v) {
      const auto is_sure = [&](NodeId u) { return u == 0 || sample.scores[static_cast<std::size_t>(u)] > threshold; };
      if (is_sure(v) && std::ranges::none_of(problem.taxonomy.descendants(v), is_sure)) expected.push_back(v);
    }
    auto found = covering_nodes(rule_of(problem, Guarantee::kCorrect, 0, threshold), sample.scores);
    const auto best = covering_nodes(rule_of(problem, Guarantee::kCorrect, 2, threshold), sample.scores);
    EXPECT_EQ(best, std::vector<NodeId>(found.begin(), found.begin() + std::min<std::ptrdiff_t>(2, std::ssize(found))));
    std::ranges::sort(found);
    EXPECT_EQ(found, expected);
  }
}

// A model that has nothing but its calibration.
ModelBody calibrated(const ScoredProblem& problem, const std::vector<CalibrationScore>& scores,
                     const std::vector<NodeId>& classes = {}) {
  ModelBody model;
  model.taxonomy = problem.taxonomy;
  model.conformal = std::make_shared<const ConformalScores>(
      conformal_scores(ConformalOptions::Way::kSplit, problem.space(), scores, classes,
                       classes.empty() ? std::vector<NodeId>() : problem.classes));
  return model;
}

struct Pool {
  std::vector<ScoredSample> samples;
  std::vector<CalibrationScore> scores;
};

Pool pool_of(const ScoredProblem& problem, Index count, std::uint64_t seed) {
  RandomStream random(seed, {kTestStream, 35});
  Pool pool;
  const AnswerSpace space = problem.space();
  for (Index s = 0; s < count; ++s) {
    pool.samples.push_back(problem.draw(random));
    pool.scores.push_back(calibration_score(space, pool.samples.back().scores, pool.samples.back().labels));
  }
  return pool;
}

// Over 200 random splits into calibration samples and others, the guarantee holds for the promised share of the others.
// In one split the share of n calibration samples follows a beta distribution, with the mean r / (n + 1) for rank r.
TEST(Coverage, IsThePromisedOneOver200RandomSplits) {
  constexpr Index kCalibration = 79;
  constexpr Index kTested = 40;
  constexpr int kSplits = 200;
  for (int k = 0; k < 4; ++k) {
    const ScoredProblem problem(18, k % 2 == 1, k >= 2, static_cast<std::uint64_t>(k) + 11);
    const Pool pool = pool_of(problem, 1200, static_cast<std::uint64_t>(k) + 1);
    std::vector<std::size_t> order(pool.samples.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    RandomStream random(static_cast<std::uint64_t>(k), {kTestStream, 36});
    struct Asked {
      Guarantee guarantee;
      Index size;
      double coverage;
      Index held = 0;
      bool has_ties = false;
    };
    std::vector<Asked> asked{{Guarantee::kComplete, 1, 0.9}, {Guarantee::kComplete, 1, 0.6},
                             {Guarantee::kComplete, 3, 0.9}, {Guarantee::kComplete, 10, 0.8},
                             {Guarantee::kCorrect, 0, 0.9},  {Guarantee::kCorrect, 2, 0.9}};
    for (int split = 0; split < kSplits; ++split) {
      random.shuffle(std::span(order));
      std::vector<CalibrationScore> scores;
      for (Index s = 0; s < kCalibration; ++s) scores.push_back(pool.scores[order[static_cast<std::size_t>(s)]]);
      const ModelBody model = calibrated(problem, scores);
      for (Asked& one : asked) {
        const CoverageRule rule =
            coverage_rule(model, {.coverage = one.coverage, .set_size = one.size, .guarantee = one.guarantee});
        // Where some answers are never wrong, or nodes are left out, more may hold than promised.
        one.has_ties = one.has_ties || rule.threshold == 0 || one.size == 2;
        for (Index s = kCalibration; s < kCalibration + kTested; ++s) {
          const ScoredSample& sample = pool.samples[order[static_cast<std::size_t>(s)]];
          const auto answer = covering_nodes(rule, sample.scores);
          one.held += holds(one.guarantee, problem.taxonomy, answer, sample.labels) ? 1 : 0;
        }
      }
    }
    for (const Asked& one : asked) {
      const double n = kCalibration;
      const double mean = std::ceil((n + 1) * one.coverage - 1e-9) / (n + 1);
      const double in_split = mean * (1 - mean) / (n + 2);                // of the beta distribution
      const double in_sample = (mean * (1 - mean) - in_split) / kTested;  // of the tested samples
      const double error = 3.5 * std::sqrt((in_split + in_sample) / kSplits);
      const double found = static_cast<double>(one.held) / (kSplits * kTested);
      EXPECT_GT(found, mean - error) << "problem " << k << ", size " << one.size << ", coverage " << one.coverage;
      if (!one.has_ties) {
        EXPECT_LT(found, mean + error) << "problem " << k << ", size " << one.size;
      }
    }
  }
}

// By class, every class gets its share, also one on which the model is much worse than on the others.
TEST(Coverage, HoldsForEveryClassIfAskedFor) {
  constexpr int kSplits = 200;
  constexpr std::size_t kCalibration = 400;
  for (const bool dag : {false, true}) {
    const ScoredProblem problem(13, dag, false, 21);
    Pool pool = pool_of(problem, 1200, 5);
    const NodeId hard = problem.classes[0];
    for (std::size_t s = 0; s < pool.samples.size(); ++s) {
      ScoredSample& sample = pool.samples[s];
      if (sample.labels[0] != hard) continue;
      sample.scores = pool.samples[(s + 7) % pool.samples.size()].scores;  // those of any other sample
      pool.scores[s] = calibration_score(problem.space(), sample.scores, sample.labels);
    }
    std::vector<std::size_t> order(pool.samples.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    RandomStream random(9, {kTestStream, 37});
    std::map<NodeId, std::array<double, 3>> of_class;  // samples; held by class; held on average
    for (int split = 0; split < kSplits; ++split) {
      random.shuffle(std::span(order));
      std::vector<CalibrationScore> scores;
      std::vector<NodeId> classes;
      for (std::size_t s = 0; s < kCalibration; ++s) {
        scores.push_back(pool.scores[order[s]]);
        classes.push_back(pool.samples[order[s]].labels[0]);
      }
      const CoverageRule own = coverage_rule(calibrated(problem, scores, classes), {.coverage = 0.8, .set_size = 2});
      const CoverageRule average = coverage_rule(calibrated(problem, scores), {.coverage = 0.8, .set_size = 2});
      for (std::size_t s = kCalibration; s < kCalibration + 60; ++s) {
        const ScoredSample& sample = pool.samples[order[s]];
        auto& counts = of_class[sample.labels[0]];
        const auto is_held = [&](const CoverageRule& rule) {
          const auto answer = covering_nodes(rule, sample.scores);
          return holds(Guarantee::kComplete, problem.taxonomy, answer, sample.labels) ? 1 : 0;
        };
        counts[0] += 1;
        counts[1] += is_held(own);
        counts[2] += is_held(average);
      }
    }
    ASSERT_EQ(of_class.size(), problem.classes.size());
    for (const auto& [label, counts] : of_class) {
      EXPECT_GT(counts[1] / counts[0], 0.8 - 3.5 * 0.4 / std::sqrt(counts[0] / 4)) << problem.taxonomy.name(label);
    }
    EXPECT_LT(of_class[hard][2] / of_class[hard][0], 0.75);  // the average does not help it
  }
}

TEST(Coverage, TooFewCalibrationSamplesGiveTheRootAndANote) {
  const ScoredProblem problem(12, false, false, 3);
  const Pool pool = pool_of(problem, 30, 3);
  for (const int count : {1, 8, 9, 30}) {
    const ModelBody model = calibrated(problem, {pool.scores.begin(), pool.scores.begin() + count});
    const CoverageRule rule = coverage_rule(model, {.coverage = 0.9});
    EXPECT_EQ(rule.note.empty(), count >= 9);
    if (count >= 9) continue;
    for (const ScoredSample& sample : pool.samples) {
      EXPECT_EQ(covering_nodes(rule, sample.scores), std::vector<NodeId>{0});
    }
  }
}

TEST(Coverage, ClassesWithFewSamplesShareAThreshold) {
  const ScoredProblem problem(12, false, false, 3);
  const Pool pool = pool_of(problem, 300, 4);
  std::vector<NodeId> classes;
  for (const ScoredSample& sample : pool.samples) classes.push_back(sample.labels[0]);
  const ModelBody model = calibrated(problem, pool.scores, classes);
  for (const double coverage : {0.5, 0.9, 0.97, 0.99}) {
    const CoverageRule rule = coverage_rule(model, {.coverage = coverage});
    ASSERT_EQ(rule.classes.size(), problem.classes.size());
    EXPECT_TRUE(rule.note.empty());
    for (const CoverageRule::Class& one : rule.classes) EXPECT_LE(one.threshold, 1);
  }
  const CoverageRule too_much = coverage_rule(model, {.coverage = 0.999, .set_size = 5});
  EXPECT_FALSE(too_much.note.empty());
  EXPECT_EQ(covering_nodes(too_much, pool.samples[0].scores), std::vector<NodeId>{0});
  EXPECT_THROW(coverage_rule(model, {.guarantee = Guarantee::kCorrect}), Error);
}

TEST(Coverage, OptionsThatDoNotSuitAreRefused) {
  const ScoredProblem problem(12, false, false, 3);
  const Pool pool = pool_of(problem, 30, 3);
  const ModelBody model = calibrated(problem, pool.scores);
  for (const double coverage : {0.0, 1.0, 1.5, -1.0, std::nan("")}) {
    EXPECT_THROW(coverage_rule(model, {.coverage = coverage}), Error);
  }
  for (const Index size : {Index{-1}, kLargestSetSize + 1}) {
    EXPECT_THROW(coverage_rule(model, {.set_size = size}), Error);
  }
  EXPECT_THROW(coverage_rule(ModelBody{}, {}), Error);
}

}  // namespace
}  // namespace clade
