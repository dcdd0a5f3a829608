#include "math/pooled_ranking.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/random.h"

namespace clade {
namespace {

struct Scored {
  Matrix scores;
  PositivePairs pairs;
  std::vector<double> flat;
  std::vector<bool> is_positive;
};

// With many equal scores if `levels` is small.
Scored random_scores(Index samples, Index columns, Index levels, std::uint64_t seed) {
  RandomStream random(seed, {kTestStream, 72});
  Scored result{Matrix(samples, columns), {}, {}, {}};
  for (Index s = 0; s < samples; ++s) {
    for (Index c = 0; c < columns; ++c) {
      const bool positive = random.uniform() < 0.2;
      const double score = static_cast<double>(random.below(levels) + (positive ? levels / 4 : 0));
      result.scores(s, c) = score;
      result.flat.push_back(score);
      result.is_positive.push_back(positive);
      if (positive) result.pairs.columns.push_back(static_cast<std::int32_t>(c));
    }
    result.pairs.offsets.push_back(std::ssize(result.pairs.columns));
  }
  return result;
}

// Precision of all pairs scored at least as high, averaged over the positive pairs.
double average_precision_by_definition(const Scored& data) {
  double sum = 0;
  double positives = 0;
  for (std::size_t k = 0; k < data.flat.size(); ++k) {
    if (!data.is_positive[k]) continue;
    double found = 0;
    double seen = 0;
    for (std::size_t other = 0; other < data.flat.size(); ++other) {
      if (data.flat[other] < data.flat[k]) continue;
      ++seen;
      found += data.is_positive[other] ? 1 : 0;
    }
    sum += found / seen;
    ++positives;
  }
  return positives == 0 ? 0 : sum / positives;
}

TEST(PooledRanking, AveragePrecisionIsThatOfTheDefinition) {
  Context ctx({.threads = 3});
  for (const Index levels : {1, 2, 10, 100000}) {
    const Scored data = random_scores(23, 41, levels, 5);
    EXPECT_NEAR(average_precision(rank_pairs(data.scores, data.pairs, ctx)), average_precision_by_definition(data),
                1e-12);
  }
}

TEST(PooledRanking, TheBestCutHasTheLargestF1) {
  Context ctx;
  for (const Index levels : {1, 2, 10, 100000}) {
    const Scored data = random_scores(12, 15, levels, 6);
    double best = 0;
    for (const double cut : data.flat) {
      double found = 0;
      double seen = 0;
      double positives = 0;
      for (std::size_t k = 0; k < data.flat.size(); ++k) {
        positives += data.is_positive[k] ? 1 : 0;
        if (data.flat[k] < cut) continue;
        ++seen;
        found += data.is_positive[k] ? 1 : 0;
      }
      best = std::max(best, 2 * found / (seen + positives));
    }
    EXPECT_NEAR(best_cut(rank_pairs(data.scores, data.pairs, ctx)).f1, best, 1e-12);
  }
}

TEST(PooledRanking, WithoutPositivesThereIsNothing) {
  Context ctx;
  Scored data = random_scores(3, 4, 5, 7);
  data.pairs.columns.clear();
  data.pairs.offsets.assign(4, 0);
  const RankedPairs ranked = rank_pairs(data.scores, data.pairs, ctx);
  EXPECT_EQ(average_precision(ranked), 0);
  EXPECT_EQ(best_cut(ranked).f1, 0);
}

}  // namespace
}  // namespace clade
