#include "classify/joint/joint_svm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "classify/joint/joint_reference.h"
#include "how_many.h"

namespace clade {
namespace {

using testing::full_problem;
using testing::FullProblem;
using testing::is_learnable;
using testing::joint_case;
using testing::joint_data_of;
using testing::JointCase;

using testing::placed;
using testing::Reference;
using testing::Solved;
using testing::solved;
using testing::Vector;

// With the weights of a feature side by side, and with those of an attribute.
std::vector<Solved> both_ways(const JointCase& c, double cost, const JointSvmOptions& options) {
  return {solved<double>(c, cost, options), solved<double, DenseScores<double>>(c, cost, options)};
}

TEST(JointSvm, TheOptimumIsThatOfAGeneralSolver) {
  int problems = 0;
  for (int k = 0; problems < testing::how_many(50, 200); ++k) {
    const JointCase c = joint_case(k);
    const FullProblem full = full_problem(c);
    if (!is_learnable(full)) continue;
    ++problems;
    const double cost = std::vector{0.1, 1.0, 10.0}[static_cast<std::size_t>(k % 3)];
    const Reference reference(full, cost);
    const double best = reference.solve(1e-8);
    for (const Solved& s : both_ways(c, cost, {.tolerance = 1e-9, .iterations = 200000})) {
      ASSERT_TRUE(s.result.has_converged) << c.name;
      EXPECT_NEAR(s.result.primal, best, 1e-6 * std::max(1.0, best)) << c.name;
      EXPECT_NEAR(s.result.dual, best, 1e-6 * std::max(1.0, best)) << c.name;
      // The weights give what is reported.
      EXPECT_NEAR(reference.primal(placed(s, full)), s.result.primal, 1e-8 * std::max(1.0, best)) << c.name;
    }
  }
}

// psi_i = l_i - u_i from (4.24), (4.29) and (4.30), over all pairs.
double largest_violation(const Solved& s, const Reference& reference, double cost) {
  const Vector w = placed(s, reference.full);
  double worst = 0;
  for (std::size_t i = 0; i < reference.full.x.size(); ++i) {
    double most = 0;
    double least = std::numeric_limits<double>::infinity();
    double sum = 0;
    for (const PairVariable& v : s.variables[i]) sum += v.share;
    if (sum < cost * (1 - 1e-12)) least = 0;
    for (const Reference::Pair& pair : reference.pairs) {
      if (pair.sample != i) continue;
      const double h = reference.violation(w, pair);
      most = std::max(most, h);
      for (const PairVariable& v : s.variables[i]) {
        if (v.own == static_cast<std::int32_t>(pair.own) && v.other == static_cast<std::int32_t>(pair.other)) {
          EXPECT_GT(v.share, 0);
          EXPECT_DOUBLE_EQ(v.loss, pair.loss);
          least = std::min(least, h);
        }
      }
    }
    worst = std::max(worst, most - least);
  }
  return worst;
}

TEST(JointSvm, WhatIsReportedIsTrue) {
  for (int k = 0; k < 60; ++k) {
    const JointCase c = joint_case(k);
    const FullProblem full = full_problem(c);
    if (!is_learnable(full)) continue;
    for (const double tolerance : {0.3, 0.01}) {
      const Reference reference(full, 2);
      const bool is_dense = tolerance < 0.1 ? k % 2 == 0 : k % 2 == 1;
      const Solved s = is_dense ? solved<double, DenseScores<double>>(c, 2, {.tolerance = tolerance})
                                : solved<double>(c, 2, {.tolerance = tolerance});
      EXPECT_LE(s.result.violation, tolerance);
      EXPECT_NEAR(s.result.violation, largest_violation(s, reference, 2), 1e-9) << c.name;
      // The weights are those of the variables, and these are feasible.
      Vector shares(reference.pairs.size(), 0);
      Index active = 0;
      for (std::size_t i = 0; i < full.x.size(); ++i) {
        double sum = 0;
        for (const PairVariable& v : s.variables[i]) {
          for (std::size_t p = 0; p < shares.size(); ++p) {
            const Reference::Pair& pair = reference.pairs[p];
            if (pair.sample == i && pair.own == static_cast<std::size_t>(v.own) &&
                pair.other == static_cast<std::size_t>(v.other)) {
              shares[p] = v.share;
            }
          }
          sum += v.share;
          ++active;
        }
        EXPECT_LE(sum, 2 * (1 + 1e-12));
      }
      EXPECT_EQ(s.result.active, active);
      EXPECT_EQ(s.result.pairs, static_cast<double>(reference.pairs.size()));
      const Vector w = placed(s, full);
      const Vector expected = reference.weights(shares);
      for (std::size_t z = 0; z < w.size(); ++z) EXPECT_NEAR(w[z], expected[z], 1e-10) << c.name;
      EXPECT_NEAR(s.result.dual, reference.dual(shares), 1e-9 * std::max(1.0, s.result.dual)) << c.name;
      EXPECT_NEAR(s.result.primal, reference.primal(w), 1e-9 * std::max(1.0, s.result.primal)) << c.name;
      EXPECT_NEAR(s.result.passes.back().dual, s.result.dual, 1e-9 * std::max(1.0, s.result.dual)) << c.name;
    }
  }
}

}  // namespace
}  // namespace clade
