#include "induce/linkage.h"

#include <gtest/gtest.h>

#include <numeric>

#include "induce/clustering_by_definition.h"

namespace clade {
namespace {

constexpr Linkage kAll[] = {Linkage::kAverage, Linkage::kComplete, Linkage::kSingle};

std::vector<Merge> merged(const Square& square, Linkage linkage) {
  Context ctx;
  return agglomerate(condensed(square), linkage, ctx);
}

TEST(Linkage, IsWhatLookingAtAllPairsFinds) {
  RandomStream random(1, {kTestStream});
  for (int repeat = 0; repeat < 150; ++repeat) {
    const Square square = random_distances(1 + random.below(40), random);
    for (const Linkage linkage : kAll) {
      const std::vector<Merge> merges = merged(square, linkage);
      const std::vector<Joined> expected = cluster_by_definition(square, linkage);
      const auto below = objects_below(merges);
      ASSERT_EQ(merges.size(), expected.size());
      for (std::size_t k = 0; k < merges.size(); ++k) {
        EXPECT_NEAR(merges[k].distance, expected[k].distance, 1e-12);
        EXPECT_EQ(below[square.size() + k], expected[k].objects);
        EXPECT_EQ(merges[k].size, std::ssize(expected[k].objects));
        EXPECT_LT(merges[k].first, merges[k].second);
      }
    }
  }
}

// Where distances tie there are several right answers; each step of the one given must be right.
TEST(Linkage, WithTiesEveryDistanceIsThatOfItsPartsAndNoneFalls) {
  RandomStream random(2, {kTestStream});
  for (int repeat = 0; repeat < 150; ++repeat) {
    const Square square = random_distances(2 + random.below(30), random, 0.1);
    for (const Linkage linkage : kAll) {
      const std::vector<Merge> merges = merged(square, linkage);
      const auto below = objects_below(merges);
      EXPECT_EQ(below.back().size(), square.size());
      double before = 0;
      for (const Merge& merge : merges) {
        const double expected = cluster_distance(square, below[static_cast<std::size_t>(merge.first)],
                                                 below[static_cast<std::size_t>(merge.second)], linkage);
        EXPECT_NEAR(merge.distance, expected, 1e-12);
        EXPECT_GE(merge.distance, before);
        before = merge.distance;
      }
    }
  }
}

TEST(Linkage, EqualDistancesStayEqual) {
  for (const Linkage linkage : kAll) {
    const Square square(23, std::vector<double>(23, 0.1));
    for (const Merge& merge : merged(square, linkage)) EXPECT_EQ(merge.distance, 0.1);
  }
}

TEST(Linkage, AnotherOrderOfTheObjectsGivesTheSameClusters) {
  RandomStream random(3, {kTestStream});
  for (int repeat = 0; repeat < 60; ++repeat) {
    const Square square = random_distances(2 + random.below(50), random);
    std::vector<std::size_t> order(square.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    random.shuffle(std::span(order));
    Square shuffled = square;
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t j = 0; j < order.size(); ++j) shuffled[i][j] = square[order[i]][order[j]];
    }
    for (const Linkage linkage : kAll) {
      const std::vector<Merge> a = merged(square, linkage);
      const std::vector<Merge> b = merged(shuffled, linkage);
      const auto below_a = objects_below(a);
      const auto below_b = objects_below(b);
      for (std::size_t k = 0; k < a.size(); ++k) {
        std::vector<std::size_t> objects;
        for (const std::size_t object : below_b[square.size() + k]) objects.push_back(order[object]);
        std::sort(objects.begin(), objects.end());
        EXPECT_EQ(objects, below_a[square.size() + k]);
        EXPECT_NEAR(a[k].distance, b[k].distance, 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace clade
