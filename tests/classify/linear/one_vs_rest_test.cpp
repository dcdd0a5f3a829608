#include "classify/linear/one_vs_rest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "classify/linear/random_rows.h"
#include "math/dense.h"

namespace clade {
namespace {

struct Case {
  TrainingRows rows;
  std::vector<std::vector<Index>> positives;
  std::vector<std::uint64_t> streams;
  std::vector<double> weight;
  HingeOptions options;

  std::vector<std::int8_t> signs(std::size_t o) const {
    std::vector<std::int8_t> sign(static_cast<std::size_t>(rows.rows()), -1);
    for (const Index r : positives[o]) sign[static_cast<std::size_t>(r)] = 1;
    return sign;
  }
};

// More rows than a problem starts with, and more problems than are solved together, of very different sizes.
Case random_case(int k, double tolerance) {
  RandomStream random(static_cast<std::uint64_t>(k), {kTestStream, 62});
  Case c;
  constexpr Index kRows = 1000;
  Matrix x = testing::random_matrix(kRows, 40, 0.2, random);
  c.positives.resize(21);
  for (Index r = 0; r < kRows; ++r) {
    const Index own = random.below(20);
    c.positives[static_cast<std::size_t>(own)].push_back(r);
    if (own < 15) c.positives[20].push_back(r);
    x(r, own) += 1.5;
    c.weight.push_back(k % 3 == 2 ? (r % 7 == 0 ? 0 : 0.5 + random.uniform()) : 1);
  }
  c.rows = testing::rows_of(x);
  for (std::uint64_t o = 0; o < c.positives.size(); ++o) c.streams.push_back(o + 5);
  c.options = {.c = k % 2 == 0 ? 1.0 : 0.1,
               .loss = k % 4 < 2 ? Loss::kSquaredHinge : Loss::kHinge,
               .bias = k % 5 == 4 ? 0.0 : 1.0,
               .tolerance = tolerance,
               .iterations = 1000000};
  return c;
}

struct Found {
  std::vector<double> w;
  double bias = 0;
  std::vector<double> alpha;  // of all rows
  std::vector<double> decisions;
  Index members = 0;
  int iterations = 0;
  bool has_converged = false;

  bool operator==(const Found&) const = default;
};

std::map<Index, Found> solved(const Case& c, int threads = 1) {
  Context ctx({.threads = threads});
  std::map<Index, Found> found;
  std::mutex mutex;
  solve_one_vs_rest(
      {c.rows, c.positives, c.streams, c.weight}, c.options,
      [&](const OneVsRestSolution& solution) {
        Found own{.w = solution.descent->w(),
                  .bias = solution.descent->bias(),
                  .alpha = std::vector<double>(static_cast<std::size_t>(c.rows.rows()), 0),
                  .decisions = solution.decisions,
                  .members = std::ssize(solution.descent->members()),
                  .iterations = solution.iterations,
                  .has_converged = solution.has_converged};
        for (const auto& member : solution.descent->members()) {
          own.alpha[static_cast<std::size_t>(member.row)] = member.alpha;
        }
        const std::lock_guard lock(mutex);
        found[solution.problem] = std::move(own);
      },
      ctx);
  return found;
}

double decision(const Case& c, const Found& found, Index row) {
  double sum = found.bias;
  for (std::size_t e = 0; e < c.rows.columns_of(row).size(); ++e) {
    sum += c.rows.values_of(row)[e] * found.w[static_cast<std::size_t>(c.rows.columns_of(row)[e])];
  }
  return sum;
}

double objective(const Case& c, std::size_t o, const Found& found) {
  double sum = c.options.bias == 0 ? 0 : 0.5 * std::pow(found.bias / c.options.bias, 2);
  for (const double w : found.w) sum += 0.5 * w * w;
  const std::vector<std::int8_t> sign = c.signs(o);
  for (std::size_t r = 0; r < sign.size(); ++r) {
    const double slack = std::max(0.0, 1 - sign[r] * decision(c, found, static_cast<Index>(r)));
    sum += c.options.c * c.weight[r] * (c.options.loss == Loss::kHinge ? slack : slack * slack);
  }
  return sum;
}

TEST(OneVsRest, IsThatOfEachProblemByItself) {
  for (int k = 0; k < 5; ++k) {
    const Case c = random_case(k, 1e-5);
    const auto found = solved(c);
    ASSERT_EQ(found.size(), c.positives.size());
    for (std::size_t o = 0; o < c.positives.size(); ++o) {
      Context ctx({.threads = 1});
      const HingeResult expected = hinge_dual(c.rows, c.signs(o), c.weight, {}, c.options, ctx);
      const Found& own = found.at(static_cast<Index>(o));
      EXPECT_TRUE(own.has_converged) << k << " " << o;
      EXPECT_NEAR(objective(c, o, own), expected.objective, 1e-5 * expected.objective) << k << " " << o;
      for (const Index r : {0, 3, 700, 999}) {
        EXPECT_NEAR(own.decisions[static_cast<std::size_t>(r)], decision(c, own, r), 1e-9) << k << " " << o;
      }
    }
  }
}

// The projected gradients of all rows spread no wider than about the tolerance: they are measured while the weights
// still move a little.
TEST(OneVsRest, ObeysTheTolerance) {
  for (int k = 0; k < 5; ++k) {
    for (const double tolerance : {0.1, 1e-2, 5e-4}) {
      const Case c = random_case(k, tolerance);
      for (const auto& [o, own] : solved(c)) {
        EXPECT_TRUE(own.has_converged);
        const std::vector<std::int8_t> sign = c.signs(static_cast<std::size_t>(o));
        double highest = 0;
        double lowest = 0;
        for (std::size_t r = 0; r < sign.size(); ++r) {
          const double cost = c.options.c * c.weight[r];
          if (cost == 0) continue;
          double gradient = sign[r] * decision(c, own, static_cast<Index>(r)) - 1;
          const bool is_hinge = c.options.loss == Loss::kHinge;
          if (!is_hinge) gradient += own.alpha[r] / (2 * cost);
          if (own.alpha[r] == 0) gradient = std::min(gradient, 0.0);
          if (is_hinge && own.alpha[r] == cost) gradient = std::max(gradient, 0.0);
          highest = std::max(highest, gradient);
          lowest = std::min(lowest, gradient);
        }
        EXPECT_LE(highest - lowest, 2 * tolerance) << k << " " << o << " " << tolerance;
      }
    }
  }
}

TEST(OneVsRest, FewRowsMatter) {
  const Case c = random_case(0, 0.1);
  for (const auto& [o, own] : solved(c)) EXPECT_LT(own.members, c.rows.rows()) << o;
}

TEST(OneVsRest, StopsAfterTheGivenPasses) {
  for (const int passes : {1, 2, 7}) {
    Case c = random_case(1, 1e-9);
    c.options.iterations = passes;
    for (const auto& [o, own] : solved(c)) {
      EXPECT_EQ(own.iterations, passes) << o;
      EXPECT_FALSE(own.has_converged) << o;
    }
  }
}

TEST(OneVsRest, SameForAnyNumberOfThreads) {
  for (int k = 0; k < 3; ++k) {
    const Case c = random_case(k, 0.1);
    const auto one = solved(c);
    for (const int threads : {2, 3}) EXPECT_TRUE(solved(c, threads) == one) << k << " threads " << threads;
  }
}

TEST(OneVsRest, CanBeCancelled) {
  const Case c = random_case(0, 0.1);
  auto cancel = std::make_shared<CancelToken>();
  cancel->cancel();
  Context ctx({.threads = 1, .cancel = cancel});
  const OneVsRestInput input{c.rows, c.positives, c.streams, c.weight};
  EXPECT_THROW(solve_one_vs_rest(input, c.options, [](const OneVsRestSolution&) {}, ctx), Error);
}

}  // namespace
}  // namespace clade
