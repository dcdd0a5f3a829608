#include <clade/compare.h>
#include <clade/error.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "core/random.h"

namespace clade {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// 1 + how many are better + half of how many others are equal.
double rank_by_definition(std::span<const double> row, std::size_t method, Better better) {
  double rank = 1;
  for (std::size_t other = 0; other < row.size(); ++other) {
    if (other == method) continue;
    const bool beats = better == Better::kHigher ? row[other] > row[method] : row[other] < row[method];
    rank += beats ? 1 : row[other] == row[method] ? 0.5 : 0;
  }
  return rank;
}

TEST(AverageRanks, FollowTheDefinitionOnTablesWithTies) {
  RandomStream random(1, {kTestStream});
  for (int repeat = 0; repeat < 200; ++repeat) {
    const Index methods = 2 + random.below(8);
    const Index datasets = 2 + random.below(8);
    std::vector<double> scores;
    for (Index k = 0; k < methods * datasets; ++k) scores.push_back(static_cast<double>(random.below(6)) / 10);
    const Better better = repeat % 2 == 0 ? Better::kHigher : Better::kLower;
    const Ranks ranks = average_ranks(scores, methods, better);
    for (Index d = 0; d < datasets; ++d) {
      const auto row =
          std::span(scores).subspan(static_cast<std::size_t>(d * methods), static_cast<std::size_t>(methods));
      for (Index m = 0; m < methods; ++m) {
        EXPECT_EQ(ranks.at(d, m), rank_by_definition(row, static_cast<std::size_t>(m), better));
      }
    }
    const double k = static_cast<double>(methods);
    EXPECT_EQ(std::accumulate(ranks.ranks.begin(), ranks.ranks.end(), 0.0),
              static_cast<double>(datasets) * k * (k + 1) / 2);
  }
}

TEST(AverageRanks, MissingScoresShareTheLastRanks) {
  const std::vector<double> scores = {3, kMissing, 2, kMissing, 1, 2, 3, 4};
  const Ranks ranks = average_ranks(scores, 4, Better::kHigher);
  EXPECT_EQ(std::vector<double>(ranks.ranks.begin(), ranks.ranks.begin() + 4), (std::vector<double>{1, 3.5, 2, 3.5}));
  EXPECT_EQ(average_ranks(scores, 4, Better::kLower).at(0, 1), 3.5);
}

TEST(AverageRanks, WrongShapesAreRefused) {
  EXPECT_THROW(average_ranks(std::vector<double>{1, 2}, 1, Better::kHigher), Error);
  EXPECT_THROW(average_ranks(std::vector<double>{1, 2}, 2, Better::kHigher), Error);
  EXPECT_THROW(average_ranks(std::vector<double>{1, 2, 3}, 2, Better::kHigher), Error);
  EXPECT_THROW(average_ranks(std::vector<double>{1, 2, 3, INFINITY}, 2, Better::kHigher), Error);
}

}  // namespace
}  // namespace clade
