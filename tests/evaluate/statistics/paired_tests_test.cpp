#include <clade/compare.h>
#include <clade/context.h>
#include <clade/error.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random.h"

namespace clade {
namespace {

// Whole numbers, so that sums are exact: magnitudes with ties, zeros among them.
std::vector<double> random_differences(RandomStream& random, Index count, Index largest) {
  std::vector<double> result;
  for (Index k = 0; k < count; ++k) result.push_back(static_cast<double>(random.below(2 * largest + 1) - largest));
  return result;
}

std::vector<double> without_zeros(std::vector<double> values) {
  std::erase(values, 0.0);
  return values;
}

// The share of all sign vectors for which statistic(signed values) is at least as far from 0 as for the values as
// given.
template <class Statistic>
double p_by_enumeration(const std::vector<double>& values, Statistic&& statistic) {
  const double observed = std::abs(statistic(values));
  const std::uint32_t vectors = 1U << values.size();
  std::uint32_t far = 0;
  for (std::uint32_t signs = 0; signs < vectors; ++signs) {
    std::vector<double> flipped = values;
    for (std::size_t k = 0; k < values.size(); ++k)
      flipped[k] = std::abs(values[k]) * ((signs >> k & 1U) != 0 ? 1 : -1);
    far += std::abs(statistic(flipped)) >= observed - 1e-9 ? 1 : 0;
  }
  return static_cast<double>(far) / vectors;
}

double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

// W+ - W-, by counting for each value how many magnitudes are smaller.
double signed_rank_sum(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) {
    double rank = 0.5;
    for (const double other : values) {
      rank += std::abs(other) < std::abs(value) ? 1 : std::abs(other) == std::abs(value) ? 0.5 : 0;
    }
    sum += value > 0 ? rank : -rank;
  }
  return sum;
}

TEST(Wilcoxon, IsTheShareOfSignVectorsWithTiesAndZeros) {
  RandomStream random(2, {kTestStream});
  for (int repeat = 0; repeat < 120; ++repeat) {
    const auto differences = random_differences(random, 1 + random.below(12), 1 + random.below(8));
    const auto values = without_zeros(differences);
    const WilcoxonTest test = wilcoxon_test(differences);
    EXPECT_EQ(test.differences, std::ssize(values));
    EXPECT_EQ(test.zeros, std::ssize(differences) - std::ssize(values));
    EXPECT_TRUE(test.exact);
    EXPECT_NEAR(test.p, values.empty() ? 1 : p_by_enumeration(values, signed_rank_sum), 1e-12);
  }
}

TEST(Wilcoxon, ExactAndApproximateMeetWhereTheyChange) {
  RandomStream random(3, {kTestStream});
  std::vector<double> values;
  for (int k = 0; k < 50; ++k) values.push_back(random.normal() + 0.3);
  const WilcoxonTest exact = wilcoxon_test(values);
  values.push_back(random.normal() * 1e-6);  // the smallest magnitude: moves every rank by one and nothing else
  const WilcoxonTest approximate = wilcoxon_test(values);
  EXPECT_TRUE(exact.exact);
  EXPECT_FALSE(approximate.exact);
  EXPECT_NEAR(exact.p, approximate.p, 0.01);
}

TEST(Permutation, IsTheShareOfSignVectors) {
  RandomStream random(4, {kTestStream});
  Context ctx;
  for (int repeat = 0; repeat < 120; ++repeat) {
    const auto differences = random_differences(random, 1 + random.below(12), 1 + random.below(20));
    const auto values = without_zeros(differences);
    const PermutationTest test = permutation_test(differences, ctx);
    EXPECT_TRUE(test.exact);
    EXPECT_NEAR(test.p, values.empty() ? 1 : p_by_enumeration(values, sum_of), 1e-12);
  }
}

TEST(Permutation, DecimalsThatCancelAreEqualSums) {
  Context ctx;
  const std::vector<double> decimals = {0.1, 0.2, -0.3, 0.4, -0.5, 0.1};
  const std::vector<double> whole = {1, 2, -3, 4, -5, 1};
  EXPECT_EQ(permutation_test(decimals, ctx).p, permutation_test(whole, ctx).p);
}

TEST(Permutation, DrawsAgreeWithEnumerationAndDoNotDependOnThreads) {
  RandomStream random(5, {kTestStream});
  std::vector<double> values;
  for (int k = 0; k < 20; ++k) values.push_back(random.normal() + 0.4);
  Context one({.threads = 1});
  const double exact = permutation_test(values, one).p;
  values.push_back(1e-12);  // one more: too many to enumerate, and nothing else changes
  const PermutationTest drawn = permutation_test(values, one);
  EXPECT_FALSE(drawn.exact);
  EXPECT_NEAR(drawn.p, exact, 5 * std::sqrt(exact * (1 - exact) / 100'000));
  for (const int threads : {2, 3}) {
    Context several({.threads = threads});
    EXPECT_EQ(permutation_test(values, several).p, drawn.p);
  }
  Context other({.seed = 2});
  EXPECT_NE(permutation_test(values, other).p, drawn.p);
}

TEST(Permutation, DrawsNeverGiveZero) {
  Context ctx;
  const std::vector<double> values(60, 1.0);
  EXPECT_EQ(permutation_test(values, ctx).p, 1.0 / 100'001);
}

TEST(PairedDifferences, EqualDecimalsAreTied) {
  const std::vector<double> a = {0.3, 0.2, 0.9, 85.2, 0.5, std::numeric_limits<double>::quiet_NaN()};
  const std::vector<double> b = {0.2, 0.1, 1.0, 85.1, 0.5, 1};
  const std::vector<double> differences = paired_differences(a, b);
  ASSERT_EQ(differences.size(), 5U);
  EXPECT_EQ(differences[0], differences[1]);
  EXPECT_EQ(differences[0], -differences[2]);
  EXPECT_EQ(differences[0], differences[3]);
  EXPECT_EQ(differences[4], 0);
  const std::vector<double> close = paired_differences(std::vector{1.0, 1.0}, std::vector{0.9, 0.90000000000001});
  EXPECT_NE(close[0], close[1]);
  EXPECT_THROW(paired_differences(a, std::vector{1.0}), Error);
}

TEST(Holm, FollowsItsDefinition) {
  EXPECT_TRUE(holm_adjusted({}).empty());
  const std::vector<double> p = {0.01, 0.04, 0.03, 0.005};
  const std::vector<double> expected = {0.03, 0.06, 0.06, 0.02};
  const std::vector<double> adjusted = holm_adjusted(p);
  for (std::size_t k = 0; k < p.size(); ++k) EXPECT_NEAR(adjusted[k], expected[k], 1e-15);
  EXPECT_EQ(holm_adjusted(std::vector{0.9, 0.8}), (std::vector{1.0, 1.0}));
}

// Rejecting where the adjusted p is at most alpha is Holm's step-down procedure.
TEST(Holm, IsTheStepDownProcedure) {
  RandomStream random(6, {kTestStream});
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::vector<double> p;
    for (Index k = random.below(10); k >= 0; --k) p.push_back(random.uniform() * random.uniform());
    const double alpha = random.uniform();
    const std::vector<double> adjusted = holm_adjusted(p);
    std::vector<double> sorted = p;
    std::sort(sorted.begin(), sorted.end());
    std::size_t rejected = 0;
    while (rejected < sorted.size() && sorted[rejected] * static_cast<double>(sorted.size() - rejected) <= alpha) {
      ++rejected;
    }
    const auto below = std::count_if(adjusted.begin(), adjusted.end(), [&](double q) { return q <= alpha; });
    EXPECT_EQ(static_cast<std::size_t>(below), alpha >= 1 ? sorted.size() : rejected);
  }
}

TEST(PairedEffect, CountsAndSigns) {
  const PairedEffect effect = paired_effect(std::vector{2.0, -1.0, 0.0, 4.0}, Better::kHigher);
  EXPECT_EQ(effect.wins, 2);
  EXPECT_EQ(effect.ties, 1);
  EXPECT_EQ(effect.losses, 1);
  EXPECT_EQ(effect.mean, 1.25);
  EXPECT_EQ(effect.median, 1.0);
  EXPECT_EQ(effect.rank_biserial, 4.0 / 6);
  EXPECT_NEAR(effect.cohens_d.value(), 1.25 / std::sqrt(14.75 / 3), 1e-15);
  const PairedEffect lower = paired_effect(std::vector{2.0, -1.0, 0.0, 4.0}, Better::kLower);
  EXPECT_EQ(lower.wins, 1);
  EXPECT_EQ(lower.mean, 1.25);
}

TEST(PairedEffect, WithoutDifferencesThereIsNoEffect) {
  EXPECT_FALSE(paired_effect({}, Better::kHigher).mean.has_value());
  const PairedEffect zeros = paired_effect(std::vector{0.0, 0.0}, Better::kHigher);
  EXPECT_EQ(zeros.ties, 2);
  EXPECT_FALSE(zeros.rank_biserial.has_value());
  EXPECT_FALSE(zeros.cohens_d.has_value());
  EXPECT_FALSE(paired_effect(std::vector{0.1, 0.1, 0.1}, Better::kHigher).cohens_d.has_value());
  EXPECT_FALSE(paired_effect(std::vector{0.1}, Better::kHigher).cohens_d.has_value());
}

}  // namespace
}  // namespace clade
