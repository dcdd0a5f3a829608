#include "classify/joint/pair_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "classify/joint/joint_cases.h"
#include "core/random.h"

namespace clade {
namespace {

struct Found {
  double h;
  std::int32_t own;
  std::int32_t other;
};

// All pairs, the largest first.
std::vector<Found> all_pairs(const JointProblem& problem, std::span<const std::int32_t> own,
                             std::span<const double> scores) {
  std::vector<Found> pairs;
  for (const std::int32_t y : own) {
    for (std::int32_t r = 0; r < std::ssize(scores); ++r) {
      if (std::ranges::binary_search(own, r)) continue;
      const double h =
          problem.loss.of(y, r) * (1 - scores[static_cast<std::size_t>(y)] + scores[static_cast<std::size_t>(r)]);
      pairs.push_back({h, y, r});
    }
  }
  std::ranges::sort(pairs, [](const Found& a, const Found& b) {
    return std::tuple(-a.h, a.own, a.other) < std::tuple(-b.h, b.own, b.other);
  });
  return pairs;
}

TEST(PairSearch, FindsTheLargestOfAllPairs) {
  for (std::uint64_t k = 0; k < 80; ++k) {
    RandomStream random(k, {kTestStream, 61});
    // More classes than a block has, and fewer.
    const Taxonomy taxonomy = random_taxonomy(k % 2 == 0 ? 300 : 20, k % 3 == 0, k + 1);
    std::vector<NodeId> classes(taxonomy.leaves().begin(), taxonomy.leaves().end());
    JointProblem problem{classes, flat_attributes(classes), ClassLoss::tree(taxonomy, classes), {}};
    PairSearch search(problem);
    std::vector<std::int32_t> own;
    for (std::int32_t y = 0; y < std::ssize(classes) && own.size() < 5; ++y) {
      if (random.uniform() < 0.2 || y == 1) own.push_back(y);
    }
    std::vector<double> scores(classes.size());
    for (double& v : scores) v = (k % 4 == 3 ? 3 : 0.4) * random.normal();
    const std::vector<Found> expected = all_pairs(problem, own, scores);
    // Some pairs are variables already; the smallest H of one is the floor.
    std::vector<PairVariable> known;
    double floor = 0;
    double reached = 0;
    if (k % 5 != 0) {
      for (std::size_t p = 0; p < std::min<std::size_t>(4, expected.size()); p += 2) {
        known.push_back({expected[p].own, expected[p].other, 1, 1});
        floor = expected[p].h;
        reached = std::max(reached, floor);
      }
    }
    const double most = search.largest(own, scores, floor, reached);
    ASSERT_NEAR(most, std::max(0.0, expected[0].h), 1e-12);
    constexpr std::size_t kCount = 6;
    const double enough = most - 0.9 * (most - floor);
    const auto found = search.best({.enough = enough, .least = 0.05, .share = 0.1, .count = kCount}, known);
    std::vector<Found> wanted;
    for (const Found& pair : expected) {
      double top = 0;
      for (const Found& other : expected) top = std::max(top, other.own == pair.own ? other.h : 0);
      const bool is_known =
          std::ranges::any_of(known, [&](const PairVariable& v) { return v.own == pair.own && v.other == pair.other; });
      if (pair.h < enough || pair.h <= 0.05 || pair.h <= 0.1 * top || is_known) continue;
      if (wanted.size() < kCount) wanted.push_back(pair);
    }
    ASSERT_EQ(found.size(), wanted.size()) << k;
    for (std::size_t p = 0; p < wanted.size(); ++p) {
      const double h = found[p].loss * (1 - scores[static_cast<std::size_t>(found[p].own)] +
                                        scores[static_cast<std::size_t>(found[p].other)]);
      EXPECT_NEAR(h, wanted[p].h, 1e-12);
      EXPECT_EQ(found[p].loss, problem.loss.of(found[p].own, found[p].other));
      EXPECT_EQ(found[p].share, 0);
    }
  }
}

}  // namespace
}  // namespace clade
