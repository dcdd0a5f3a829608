#include "classify/joint/kernel_svm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "classify/joint/joint_reference.h"

namespace clade {
namespace {

using testing::full_problem;
using testing::FullProblem;
using testing::is_learnable;
using testing::joint_case;
using testing::joint_data_of;
using testing::JointCase;
using testing::Reference;

struct SolvedByKernel {
  JointSvmResult result;
  KernelScores::Coefficients coefficients;
};

SolvedByKernel solved_by_kernel(const JointCase& c, KernelOptions options, double cost, Index kernel_bytes, int threads,
                                bool by_decomposition = true) {
  Context ctx({.threads = threads});
  const JointData data = joint_data_of(c, ctx);
  std::vector<Index> all(static_cast<std::size_t>(c.data.samples()));
  std::iota(all.begin(), all.end(), Index{0});
  const KernelSamples samples(c.data, all, options, true, ctx);
  KernelScores scores(samples, options, data.problem.attributes.count, ctx);
  const std::vector<double> costs(all.size(), cost);
  JointVariables variables;
  const JointSvmOptions solver{.tolerance = 1e-8, .iterations = 200000};
  SolvedByKernel solved;
  solved.result = by_decomposition ? solve_kernel_svm(data.problem, scores, costs, variables, solver, kernel_bytes, ctx)
                                   : solve_joint_svm(data.problem, scores, costs, variables, solver, ctx);
  solved.coefficients = scores.coefficients();
  return solved;
}

TEST(KernelSvm, TheOptimumIsThatOfAGeneralSolver) {
  int problems = 0;
  for (int k = 0; problems < 8; ++k) {
    const JointCase c = joint_case(k);
    const FullProblem full = full_problem(c);
    if (!is_learnable(full)) continue;
    ++problems;
    const double cost = std::vector{0.1, 1.0, 10.0}[static_cast<std::size_t>(k % 3)];
    const double best = Reference(full, cost).solve(1e-8);
    // Working sets of all samples, and of four.
    for (const Index bytes : {Index{1} << 20, Index{64}}) {
      const SolvedByKernel s = solved_by_kernel(c, {.kind = KernelKind::kLinear, .gamma = 1}, cost, bytes, 1);
      ASSERT_TRUE(s.result.has_converged) << c.name;
      EXPECT_NEAR(s.result.primal, best, 1e-6 * std::max(1.0, best)) << c.name;
      EXPECT_NEAR(s.result.dual, best, 1e-6 * std::max(1.0, best)) << c.name;
    }
  }
}

TEST(KernelSvm, OtherKernelsReachTheObjectiveOfPassesOverAllSamples) {
  for (int k = 0; k < 12; ++k) {
    const JointCase c = joint_case(k);
    if (!is_learnable(full_problem(c))) continue;
    const KernelOptions options{.kind = k % 2 == 0 ? KernelKind::kRbf : KernelKind::kPolynomial, .gamma = 2};
    const SolvedByKernel passes = solved_by_kernel(c, options, 1, 0, 1, false);
    const SolvedByKernel s = solved_by_kernel(c, options, 1, 256, 1);
    ASSERT_TRUE(s.result.has_converged && passes.result.has_converged) << c.name;
    EXPECT_NEAR(s.result.dual, passes.result.dual, 1e-6 * std::max(1.0, passes.result.dual)) << c.name;
  }
}

TEST(KernelSvm, TheNumberOfThreadsChangesNothing) {
  const JointCase c = joint_case(3);
  const KernelOptions options{.kind = KernelKind::kRbf, .gamma = 1};
  const SolvedByKernel one = solved_by_kernel(c, options, 10, 256, 1);
  for (const int threads : {2, 3}) {
    const SolvedByKernel more = solved_by_kernel(c, options, 10, 256, threads);
    EXPECT_EQ(more.result.dual, one.result.dual);
    for (std::size_t i = 0; i < one.coefficients.size(); ++i) {
      ASSERT_EQ(more.coefficients[i].size(), one.coefficients[i].size());
      for (std::size_t k = 0; k < one.coefficients[i].size(); ++k) {
        EXPECT_EQ(more.coefficients[i][k].value, one.coefficients[i][k].value);
      }
    }
  }
}

}  // namespace
}  // namespace clade
