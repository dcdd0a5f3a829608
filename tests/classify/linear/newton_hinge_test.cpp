#include "classify/linear/newton_hinge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "classify/linear/random_rows.h"

namespace clade {
namespace {

struct Case {
  TrainingRows rows;
  std::vector<Index> positives;
  std::vector<double> weight;
  HingeOptions options;

  std::vector<std::int8_t> signs() const {
    std::vector<std::int8_t> sign(static_cast<std::size_t>(rows.rows()), -1);
    for (const Index r : positives) sign[static_cast<std::size_t>(r)] = 1;
    return sign;
  }
};

// Few and many positives, apart and mixed, weights, rows of weight 0, large and small C, no constant feature.
Case random_case(int k) {
  RandomStream random(static_cast<std::uint64_t>(k), {kTestStream, 63});
  Case c;
  const Index n = 60 + 40 * (k % 3);
  Matrix x = testing::random_matrix(n, 6 + k % 5, 1, random);
  const double share[] = {0.05, 0.3, 0.8};
  for (Index r = 0; r < n; ++r) {
    if (random.uniform() < share[k % 3]) {
      c.positives.push_back(r);
      x(r, 0) += k % 4;
    }
    if (k % 4 == 1) c.weight.push_back(r % 6 == 5 ? 0 : 3 * random.uniform());
  }
  c.rows = testing::rows_of(x);
  const double costs[] = {1, 0.01, 10};
  c.options = {.c = costs[(k / 3) % 3],
               .loss = Loss::kSquaredHinge,
               .bias = k % 5 == 4 ? 0.0 : 1.0,
               .tolerance = 1e-9,
               .iterations = 1000000};
  return c;
}

NewtonHinge::Solution solved(const Case& c, std::span<const Index> held_out = {}, int threads = 1) {
  Context ctx({.threads = threads});
  return NewtonHinge(c.rows, c.weight, c.options, ctx).solve(c.positives, held_out, ctx);
}

double decision(const Case& c, const NewtonHinge::Solution& found, Index row) {
  double sum = found.bias;
  for (std::size_t e = 0; e < c.rows.columns_of(row).size(); ++e) {
    sum += c.rows.values_of(row)[e] * found.w[static_cast<std::size_t>(c.rows.columns_of(row)[e])];
  }
  return sum;
}

TEST(NewtonHinge, IsTheSolutionOfTheDual) {
  for (int k = 0; k < 36; ++k) {
    const Case c = random_case(k);
    ASSERT_TRUE(NewtonHinge::suits(c.rows, c.options)) << k;
    Context ctx({.threads = 1});
    const HingeResult expected = hinge_dual(c.rows, c.signs(), c.weight, {}, c.options, ctx);
    const NewtonHinge::Solution found = solved(c);
    EXPECT_TRUE(found.has_converged) << k;
    EXPECT_LT(found.iterations, 30) << k;
    EXPECT_NEAR(found.objective, expected.objective, 1e-6 * expected.objective) << k;
    EXPECT_NEAR(found.bias, expected.bias, 1e-4 * (1 + std::abs(expected.bias))) << k;
    for (std::size_t f = 0; f < found.w.size(); ++f) EXPECT_NEAR(found.w[f], expected.w[f], 1e-4) << k;
  }
}

// The decisions without a row are those of the problem without it; exactly if the rows with a loss stay the same, which
// most do. Not for a large C, where one row decides much.
TEST(NewtonHinge, HeldOutDecisionsAreThoseWithoutTheRow) {
  int exact = 0;
  int all = 0;
  double error = 0;
  double correction = 0;
  for (int k = 0; k < 24; ++k) {
    const Case c = random_case(k);
    if (c.options.c > 1) continue;
    std::vector<Index> rows;
    for (Index r = 0; r < c.rows.rows(); r += 3) rows.push_back(r);
    const NewtonHinge::Solution found = solved(c, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Case without = c;
      if (without.weight.empty()) without.weight.assign(static_cast<std::size_t>(c.rows.rows()), 1);
      without.weight[static_cast<std::size_t>(rows[i])] = 0;
      const double expected = decision(c, solved(without), rows[i]);
      error += std::abs(found.held_out[i] - expected);
      correction += std::abs(decision(c, found, rows[i]) - expected);
      exact += std::abs(found.held_out[i] - expected) < 1e-6 ? 1 : 0;
      ++all;
    }
  }
  EXPECT_LT(error, 0.2 * correction);
  EXPECT_GT(2 * exact, all);
}

TEST(NewtonHinge, StopsAfterTheGivenSteps) {
  Case c = random_case(1);
  c.options.iterations = 1;
  EXPECT_EQ(solved(c).iterations, 1);
}

TEST(NewtonHinge, SameForAnyNumberOfThreads) {
  for (int k = 0; k < 6; ++k) {
    const Case c = random_case(k);
    const std::vector<Index> rows{0, 5, 17};
    const NewtonHinge::Solution one = solved(c, rows);
    for (const int threads : {2, 3}) {
      const NewtonHinge::Solution more = solved(c, rows, threads);
      EXPECT_EQ(more.w, one.w) << k;
      EXPECT_EQ(more.bias, one.bias) << k;
      EXPECT_EQ(more.held_out, one.held_out) << k;
    }
  }
}

TEST(NewtonHinge, OneClassOnly) {
  Case c = random_case(0);
  c.positives.clear();
  Context ctx({.threads = 1});
  const HingeResult expected = hinge_dual(c.rows, c.signs(), c.weight, {}, c.options, ctx);
  EXPECT_NEAR(solved(c).objective, expected.objective, 1e-6 * expected.objective);
}

TEST(NewtonHinge, ValuesBeyondTheRangeOfNumbers) {
  Case c = random_case(0);
  c.rows.values[3] = 1e200;
  EXPECT_TRUE(std::isnan(solved(c).w[0]));
}

TEST(NewtonHinge, IsNotForSparseOrWideRowsOrTheHingeLoss) {
  RandomStream random(9, {kTestStream, 63});
  const HingeOptions squared{.loss = Loss::kSquaredHinge};
  EXPECT_TRUE(NewtonHinge::suits(testing::rows_of(testing::random_matrix(100, 10, 1, random)), squared));
  EXPECT_FALSE(NewtonHinge::suits(testing::rows_of(testing::random_matrix(100, 10, 1, random)), {}));
  EXPECT_FALSE(NewtonHinge::suits(testing::rows_of(testing::random_matrix(100, 10, 0.2, random)), squared));
  EXPECT_FALSE(NewtonHinge::suits(testing::rows_of(testing::random_matrix(30, 20, 1, random)), squared));
}

}  // namespace
}  // namespace clade
