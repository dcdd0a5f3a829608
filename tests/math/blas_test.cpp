#include "math/blas/blas.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <limits>
#include <vector>

#include "core/random.h"

namespace clade {
namespace {

Eigen::MatrixXd random_matrix(int rows, int columns, std::uint64_t seed) {
  RandomStream random(seed, {kTestStream});
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return random.normal(); });
}

// The definition, entry by entry.
Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  Eigen::MatrixXd c = Eigen::MatrixXd::Zero(a.rows(), b.cols());
  for (int i = 0; i < c.rows(); ++i) {
    for (int j = 0; j < c.cols(); ++j) {
      for (int k = 0; k < a.cols(); ++k) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

TEST(Blas, PrepareIsDoneOnceAndNamesTheKernel) {
  const auto& library = blas::prepare();
  EXPECT_FALSE(library.name.empty());
  EXPECT_EQ(&library, &blas::prepare());
}

#if defined(CLADE_WITH_BLAS) && defined(__x86_64__)
// On a processor with AVX2 no kernel older than that may stay in use (unless the user asked for it).
TEST(Blas, TheKernelSuitsTheProcessor) {
  if (!__builtin_cpu_supports("avx2") || std::getenv("OPENBLAS_CORETYPE") != nullptr) GTEST_SKIP();
  const std::string kernel = blas::prepare().kernel;
  EXPECT_NE(kernel, "Prescott");
  EXPECT_NE(kernel, "Core2");
  EXPECT_NE(kernel, "Nehalem");
  EXPECT_NE(kernel, "Sandybridge");
}
#endif

TEST(Blas, GemmMatchesTheDefinitionInAllFourForms) {
  const int m = 37;
  const int n = 23;
  const int k = 51;
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      const Eigen::MatrixXd a = ta ? random_matrix(k, m, 1) : random_matrix(m, k, 1);
      const Eigen::MatrixXd b = tb ? random_matrix(n, k, 2) : random_matrix(k, n, 2);
      const Eigen::MatrixXd c0 = random_matrix(m, n, 3);
      const Eigen::MatrixXd expected =
          0.5 * product(ta ? Eigen::MatrixXd(a.transpose()) : a, tb ? Eigen::MatrixXd(b.transpose()) : b) - 2 * c0;
      Eigen::MatrixXd c = c0;
      blas::gemm(ta, tb, m, n, k, 0.5, a.data(), ta ? k : m, b.data(), tb ? n : k, -2, c.data(), m);
      EXPECT_LT((c - expected).cwiseAbs().maxCoeff(), 1e-12);
    }
  }
}

TEST(Blas, BetaZeroOverwritesWhateverWasThere) {
  const Eigen::MatrixXd a = random_matrix(4, 4, 1);
  Eigen::MatrixXd c = Eigen::MatrixXd::Constant(4, 4, std::numeric_limits<double>::quiet_NaN());
  blas::gemm(false, false, 4, 4, 4, 1, a.data(), 4, a.data(), 4, 0, c.data(), 4);
  EXPECT_LT((c - product(a, a)).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(Blas, SyrkFillsTheLowerTriangleAlone) {
  const int n = 70;
  const int k = 90;
  const Eigen::MatrixXd a = random_matrix(k, n, 4);
  const Eigen::MatrixXd turned = a.transpose();
  const Eigen::MatrixXd expected = product(turned, a);
  for (const bool transpose : {true, false}) {
    Eigen::MatrixXd c = Eigen::MatrixXd::Constant(n, n, 7);
    blas::syrk(transpose, n, k, 1, transpose ? a.data() : turned.data(), transpose ? k : n, 0, c.data(), n);
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        if (i >= j) {
          EXPECT_NEAR(c(i, j), expected(i, j), 1e-11);
        } else {
          EXPECT_EQ(c(i, j), 7);
        }
      }
    }
  }
}

TEST(Blas, CholeskySolvesAndReadsTheLowerTriangleAlone) {
  const int n = 83;
  const int lda = n + 3;
  const Eigen::MatrixXd root = random_matrix(n, n, 5);
  const Eigen::MatrixXd a = product(root, root.transpose()) + Eigen::MatrixXd::Identity(n, n);
  const Eigen::MatrixXd x = random_matrix(n, 4, 6);
  Eigen::MatrixXd factor = Eigen::MatrixXd::Constant(lda, n, 7);
  factor.topRows(n).triangularView<Eigen::Lower>() = a;
  Eigen::MatrixXd b = product(a, x);
  ASSERT_TRUE(blas::cholesky(n, factor.data(), lda));
  blas::cholesky_solve(n, 4, factor.data(), lda, b.data(), n);
  EXPECT_LT((b - x).cwiseAbs().maxCoeff(), 1e-9);
  for (int j = 1; j < n; ++j) EXPECT_EQ(factor(j - 1, j), 7);
}

TEST(Blas, CholeskySaysSoWhereThereIsNone) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Identity(5, 5);
  a(3, 3) = -1;
  EXPECT_FALSE(blas::cholesky(5, a.data(), 5));
}

// The library prints on standard output, which belongs to the results, where it does not like a dimension.
TEST(Blas, EmptyMatricesAreNothingToTalkAbout) {
  double c = 3;
  testing::internal::CaptureStdout();
  blas::gemm(false, false, 0, 0, 0, 1, nullptr, 0, nullptr, 0, 0, nullptr, 0);
  blas::gemm(true, false, 1, 1, 0, 1, nullptr, 0, nullptr, 0, 1, &c, 1);
  blas::syrk(true, 1, 0, 1, nullptr, 0, 1, &c, 1);
  EXPECT_TRUE(blas::cholesky(0, nullptr, 0));
  blas::solve_right(0, 0, nullptr, 0, nullptr, 0);
  blas::cholesky_solve(0, 1, nullptr, 0, nullptr, 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(c, 3);
}

}  // namespace
}  // namespace clade
