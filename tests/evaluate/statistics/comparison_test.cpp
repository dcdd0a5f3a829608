#include <clade/compare.h>
#include <clade/context.h>
#include <clade/error.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/random.h"

namespace clade {
namespace {

struct Table {
  Index methods;
  Index datasets;
  std::vector<double> scores;
};

Table random_table(RandomStream& random) {
  Table table{.methods = 2 + random.below(6), .datasets = 2 + random.below(8), .scores = {}};
  for (Index k = 0; k < table.methods * table.datasets; ++k) {
    table.scores.push_back(static_cast<double>(random.below(1000)) / 1000);
  }
  return table;
}

// The table with row r taken from rows[r] and column c from columns[c].
Table permuted(const Table& table, const std::vector<Index>& rows, const std::vector<Index>& columns) {
  Table result = table;
  for (Index d = 0; d < table.datasets; ++d) {
    for (Index m = 0; m < table.methods; ++m) {
      const Index from = rows[static_cast<std::size_t>(d)] * table.methods + columns[static_cast<std::size_t>(m)];
      result.scores[static_cast<std::size_t>(d * table.methods + m)] = table.scores[static_cast<std::size_t>(from)];
    }
  }
  return result;
}

std::vector<Index> shuffled(RandomStream& random, Index count) {
  std::vector<Index> result(static_cast<std::size_t>(count));
  std::iota(result.begin(), result.end(), Index{0});
  random.shuffle(std::span(result));
  return result;
}

const PairComparison& pair_of(const Comparison& comparison, Index a, Index b) {
  for (const PairComparison& pair : comparison.pairs) {
    if ((pair.a == a && pair.b == b) || (pair.a == b && pair.b == a)) return pair;
  }
  throw std::runtime_error("no such pair");
}

TEST(CompareMethods, TheOrderOfDataSetsAndMethodsDoesNotMatter) {
  RandomStream random(8, {kTestStream});
  Context ctx;
  for (int repeat = 0; repeat < 60; ++repeat) {
    const Table table = random_table(random);
    const std::vector<Index> columns = shuffled(random, table.methods);
    const Table other = permuted(table, shuffled(random, table.datasets), columns);
    const Comparison before = compare_methods(table.scores, table.methods, {}, ctx);
    const Comparison after = compare_methods(other.scores, table.methods, {}, ctx);
    EXPECT_NEAR(before.friedman.chi2, after.friedman.chi2, 1e-10);
    EXPECT_NEAR(before.friedman.p_tie_corrected, after.friedman.p_tie_corrected, 1e-10);
    EXPECT_NEAR(before.friedman.kendall_w, after.friedman.kendall_w, 1e-12);
    for (Index m = 0; m < table.methods; ++m) {
      const auto old = static_cast<std::size_t>(columns[static_cast<std::size_t>(m)]);
      EXPECT_NEAR(before.ranks.average[old], after.ranks.average[static_cast<std::size_t>(m)], 1e-12);
    }
    for (const PairComparison& pair : after.pairs) {
      const PairComparison& same =
          pair_of(before, columns[static_cast<std::size_t>(pair.a)], columns[static_cast<std::size_t>(pair.b)]);
      EXPECT_NEAR(pair.wilcoxon.p, same.wilcoxon.p, 1e-12);
      EXPECT_NEAR(pair.permutation.p, same.permutation.p, 1e-12);
      EXPECT_NEAR(pair.wilcoxon_p_holm, same.wilcoxon_p_holm, 1e-12);
      EXPECT_NEAR(pair.nemenyi_p, same.nemenyi_p, 1e-12);
      EXPECT_EQ(pair.effect.ties, same.effect.ties);
    }
  }
}

TEST(CompareMethods, LowerIsHigherOfTheNegative) {
  RandomStream random(9, {kTestStream});
  Context ctx;
  Table table = random_table(random);
  const Comparison higher = compare_methods(table.scores, table.methods, {}, ctx);
  for (double& score : table.scores) score = -score;
  const Comparison lower = compare_methods(table.scores, table.methods, {.better = Better::kLower}, ctx);
  EXPECT_EQ(higher.ranks.ranks, lower.ranks.ranks);
  EXPECT_EQ(higher.order, lower.order);
  EXPECT_EQ(higher.pairs[0].effect.wins, lower.pairs[0].effect.wins);
  EXPECT_EQ(higher.pairs[0].effect.mean.value(), -lower.pairs[0].effect.mean.value());
}

TEST(CompareMethods, PerfectAgreementIsAnInfiniteStatistic) {
  Context ctx;
  std::vector<double> scores;
  for (int d = 0; d < 7; ++d) scores.insert(scores.end(), {0.3, 0.2, 0.1});
  const Comparison comparison = compare_methods(scores, 3, {}, ctx);
  EXPECT_NEAR(comparison.friedman.chi2, 14, 1e-12);
  EXPECT_NEAR(comparison.friedman.kendall_w, 1, 1e-12);
  EXPECT_TRUE(std::isinf(comparison.iman_davenport.f));
  EXPECT_EQ(comparison.iman_davenport.p, 0);
}

TEST(CompareMethods, NoDifferenceAtAll) {
  Context ctx;
  const std::vector<double> scores(12, 0.5);
  const Comparison comparison = compare_methods(scores, 3, {}, ctx);
  EXPECT_EQ(comparison.friedman.chi2, 0);
  EXPECT_EQ(comparison.friedman.chi2_tie_corrected, 0);
  EXPECT_EQ(comparison.friedman.p, 1);
  EXPECT_EQ(comparison.iman_davenport.f, 0);
  EXPECT_EQ(comparison.iman_davenport.p, 1);
  for (const PairComparison& pair : comparison.pairs) {
    EXPECT_EQ(pair.wilcoxon.p, 1);
    EXPECT_EQ(pair.wilcoxon.zeros, 4);
    EXPECT_EQ(pair.permutation.p, 1);
    EXPECT_EQ(pair.nemenyi_p, 1);
    EXPECT_FALSE(pair.effect.cohens_d.has_value());
  }
}

TEST(CompareMethods, TheControlIsTheBestUnlessSaid) {
  Context ctx;
  const std::vector<double> scores = {0.1, 0.9, 0.5, 0.2, 0.8, 0.3};
  EXPECT_EQ(compare_methods(scores, 3, {}, ctx).control, 1);
  const Comparison chosen = compare_methods(scores, 3, {.control = 2}, ctx);
  EXPECT_EQ(chosen.control, 2);
  EXPECT_EQ(chosen.against_control.size(), 2U);
  EXPECT_LT(chosen.against_control[0].rank_difference, 0);
  EXPECT_THROW(compare_methods(scores, 3, {.control = 3}, ctx), Error);
  EXPECT_THROW(compare_methods(scores, 3, {.alpha = 1}, ctx), Error);
  EXPECT_THROW(compare_methods(std::vector<double>(2002), 1001, {}, ctx), Error);
}

}  // namespace
}  // namespace clade
