#include "induce/cut.h"

#include <clade/error.h>
#include <gtest/gtest.h>

#include <cmath>

#include "induce/cluster_tree.h"
#include "induce/clustering_by_definition.h"

namespace clade {
namespace {

std::vector<Merge> random_merges(Index q, RandomStream& random, double step = 0) {
  Context ctx;
  return agglomerate(condensed(random_distances(q, random, step)), Linkage::kAverage, ctx);
}

// Algorithm 8, lines 13 to 28, word by word.
TEST(Cut, IsThatOfAlgorithm8) {
  RandomStream random(4, {kTestStream});
  for (int repeat = 0; repeat < 100; ++repeat) {
    const Index q = 2 + random.below(60);
    std::vector<Merge> merges = random_merges(q, random);
    set_inconsistency(merges);
    const auto threshold = cut_inconsistent(merges);
    double sum = 0;
    int nonzero = 0;
    for (const Merge& merge : merges) {
      std::vector<double> s{merge.distance};
      for (const Index part : {merge.first, merge.second}) {
        if (part >= q) s.push_back(merges[static_cast<std::size_t>(part - q)].distance);
      }
      double mean = 0;
      for (const double d : s) mean += d / static_cast<double>(s.size());
      double variance = 0;
      for (const double d : s) variance += (d - mean) * (d - mean) / (static_cast<double>(s.size()) - 1);
      const double expected = s.size() == 1 ? 0 : (merge.distance - mean) / std::sqrt(variance);
      EXPECT_NEAR(merge.inconsistency, expected, 1e-9);
      sum += expected;
      nonzero += expected != 0 ? 1 : 0;
    }
    ASSERT_EQ(threshold.has_value(), nonzero > 0);
    if (threshold) {
      EXPECT_NEAR(*threshold, sum / nonzero, 1e-9);
    }
    for (const Merge& merge : merges) {
      bool cut = threshold && merge.inconsistency > *threshold + 1e-9;
      for (const Index part : {merge.first, merge.second}) {
        cut = cut || (part >= q && merges[static_cast<std::size_t>(part - q)].cuts == 1);
      }
      EXPECT_EQ(merge.cuts, cut ? 1 : 0);
    }
  }
}

// A chain: every link builds on the one before and on a class, so that all coefficients are 1 / sqrt 2 and their mean
// is, too, but for rounding.
TEST(Cut, EqualCoefficientsAreNotAboveTheirMean) {
  std::vector<Merge> merges;
  constexpr Index kClasses = 1000;
  for (Index k = 0; k + 1 < kClasses; ++k) {
    Merge merge;
    merge.first = k == 0 ? 0 : k + 1;
    merge.second = k == 0 ? 1 : kClasses + k - 1;
    merge.distance = 1 + 0.37 * static_cast<double>(k) * static_cast<double>(k);
    merge.size = k + 2;
    merges.push_back(merge);
  }
  set_inconsistency(merges);
  EXPECT_NEAR(*cut_inconsistent(merges), std::sqrt(0.5), 1e-12);
  for (const Merge& merge : merges) EXPECT_EQ(merge.cuts, 0);
}

TEST(Cut, EqualDistancesHaveNoThreshold) {
  Context ctx;
  std::vector<Merge> merges = agglomerate(condensed(Square(9, std::vector<double>(9, 0.7))), Linkage::kAverage, ctx);
  set_inconsistency(merges);
  EXPECT_FALSE(cut_inconsistent(merges));
  for (const Merge& merge : merges) EXPECT_EQ(merge.inconsistency, 0);
}

TEST(Cut, LevelsHaveMoreAndMoreClustersAboutAsManyAsThePowers) {
  RandomStream random(5, {kTestStream});
  for (int repeat = 0; repeat < 60; ++repeat) {
    const Index q = 3 + random.below(200);
    Dendrogram dendrogram;
    dendrogram.merges = random_merges(q, random);
    dendrogram.classes.resize(static_cast<std::size_t>(q));
    dendrogram.levels = static_cast<int>(1 + random.below(std::min<Index>(q - 1, 6)));
    cut_levels(dendrogram.merges, dendrogram.levels);
    Index before = 1;
    for (int level = 1; level < dendrogram.levels; ++level) {
      const std::vector<Index> clusters = clusters_at(dendrogram, level);
      const Index count = *std::max_element(clusters.begin(), clusters.end()) + 1;
      EXPECT_GT(count, before);
      EXPECT_LT(count, q);
      const double factor = std::pow(static_cast<double>(q), 1.0 / dendrogram.levels);
      if (factor >= 3) {
        EXPECT_GE(static_cast<double>(count), std::pow(factor, level - 0.5) - 1e-9);
        EXPECT_LE(static_cast<double>(count), std::pow(factor, level + 0.5) + 1e-9);
      }
      before = count;
    }
    double kept = 0;  // the links that are cut are the longest
    for (const Merge& merge : dendrogram.merges) {
      if (merge.cuts == 0) kept = merge.distance;
    }
    for (const Merge& merge : dendrogram.merges) {
      if (merge.cuts > 0) {
        EXPECT_GE(merge.distance, kept);
      }
    }
  }
}

TEST(Cut, LevelsFindTheGap) {
  // Six tight pairs of groups: 12 groups of 4 classes 1 apart; groups of a pair 10 apart; pairs 100 apart.
  Square square(48, std::vector<double>(48, 0));
  RandomStream random(6, {kTestStream});
  for (std::size_t i = 0; i < 48; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double scale = i / 4 == j / 4 ? 1 : i / 8 == j / 8 ? 10 : 100;
      square[i][j] = square[j][i] = scale * (1 + 0.1 * random.uniform());
    }
  }
  Context ctx;
  Dendrogram dendrogram;
  dendrogram.classes.resize(48);
  dendrogram.merges = agglomerate(condensed(square), Linkage::kAverage, ctx);
  dendrogram.levels = 3;
  cut_levels(dendrogram.merges, 3);
  const std::vector<Index> pairs = clusters_at(dendrogram, 1);
  const std::vector<Index> groups = clusters_at(dendrogram, 2);
  for (std::size_t k = 0; k < 48; ++k) {
    EXPECT_EQ(pairs[k], static_cast<Index>(k / 8));
    EXPECT_EQ(groups[k], static_cast<Index>(k / 4));
  }
}

TEST(Cut, TooManyLevelsAreRefused) {
  RandomStream random(7, {kTestStream});
  for (const Index q : {1, 2, 3, 5}) {
    std::vector<Merge> merges = random_merges(q, random);
    cut_levels(merges, 1);
    if (q > 2) cut_levels(merges, static_cast<int>(q) - 1);
    EXPECT_THROW(cut_levels(merges, static_cast<int>(std::max<Index>(q, 2))), Error);
  }
}

}  // namespace
}  // namespace clade
