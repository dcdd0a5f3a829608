#include "math/blas/blas.h"

#include <gtest/gtest.h>
#include <strings.h>

#include <Eigen/Core>
#include <cstdlib>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "core/random.h"

namespace clade {
namespace {

template <class Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

template <class Scalar>
Matrix<Scalar> random_matrix(int rows, int columns, std::uint64_t seed) {
  RandomStream random(seed, {kTestStream});
  return Matrix<Scalar>::NullaryExpr(rows, columns, [&] { return static_cast<Scalar>(random.normal()); });
}

// The definition, entry by entry, in double precision.
template <class Scalar>
Matrix<Scalar> product(const Matrix<Scalar>& a, const Matrix<Scalar>& b) {
  Eigen::MatrixXd c = Eigen::MatrixXd::Zero(a.rows(), b.cols());
  for (int i = 0; i < c.rows(); ++i) {
    for (int j = 0; j < c.cols(); ++j) {
      for (int k = 0; k < a.cols(); ++k) c(i, j) += double{a(i, k)} * double{b(k, j)};
    }
  }
  return c.cast<Scalar>();
}

// `in_double` is what rounding may change in double precision.
template <class Scalar>
double tolerance(double in_double) {
  return std::is_same_v<Scalar, double> ? in_double : in_double * 0x1p29;
}

template <class Scalar>
class BlasIn : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(BlasIn, Precisions);

TEST(Blas, PrepareIsDoneOnceAndNamesTheKernel) {
  const auto& library = blas::prepare();
  EXPECT_FALSE(library.name.empty());
  EXPECT_EQ(&library, &blas::prepare());
}

#if defined(CLADE_WITH_BLAS) && defined(__x86_64__)
// On a processor with AVX2 no kernel older than that may be in use, unless the user asked for it.
TEST(Blas, TheKernelSuitsTheProcessor) {
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "no AVX2";
  const std::string kernel = blas::prepare().kernel;
  const char* wanted = std::getenv("OPENBLAS_CORETYPE");
  const bool is_asked_for = wanted != nullptr && ::strcasecmp(kernel.c_str(), wanted) == 0;
  for (const std::string old : {"Prescott", "Core2", "Nehalem", "Sandybridge"}) {
    EXPECT_TRUE(kernel != old || is_asked_for) << kernel;
  }
}
#endif

TYPED_TEST(BlasIn, GemmMatchesTheDefinitionInAllFourForms) {
  const int m = 37;
  const int n = 23;
  const int k = 51;
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      const Matrix<TypeParam> a = ta ? random_matrix<TypeParam>(k, m, 1) : random_matrix<TypeParam>(m, k, 1);
      const Matrix<TypeParam> b = tb ? random_matrix<TypeParam>(n, k, 2) : random_matrix<TypeParam>(k, n, 2);
      const Matrix<TypeParam> c0 = random_matrix<TypeParam>(m, n, 3);
      const Matrix<TypeParam> expected = 0.5 * product<TypeParam>(ta ? Matrix<TypeParam>(a.transpose()) : a,
                                                                  tb ? Matrix<TypeParam>(b.transpose()) : b) -
                                         2 * c0;
      Matrix<TypeParam> c = c0;
      blas::gemm(ta, tb, m, n, k, 0.5, a.data(), ta ? k : m, b.data(), tb ? n : k, -2, c.data(), m);
      EXPECT_LT((c - expected).cwiseAbs().maxCoeff(), tolerance<TypeParam>(1e-13));
    }
  }
}

TYPED_TEST(BlasIn, BetaZeroOverwritesWhateverWasThere) {
  const Matrix<TypeParam> a = random_matrix<TypeParam>(4, 4, 1);
  Matrix<TypeParam> c = Matrix<TypeParam>::Constant(4, 4, std::numeric_limits<TypeParam>::quiet_NaN());
  blas::gemm(false, false, 4, 4, 4, 1, a.data(), 4, a.data(), 4, 0, c.data(), 4);
  EXPECT_LT((c - product(a, a)).cwiseAbs().maxCoeff(), tolerance<TypeParam>(1e-14));
}

TYPED_TEST(BlasIn, SyrkFillsTheLowerTriangleAlone) {
  const int n = 70;
  const int k = 90;
  const Matrix<TypeParam> a = random_matrix<TypeParam>(k, n, 4);
  const Matrix<TypeParam> turned = a.transpose();
  const Matrix<TypeParam> expected = product(turned, a);
  for (const bool transpose : {true, false}) {
    Matrix<TypeParam> c = Matrix<TypeParam>::Constant(n, n, 7);
    blas::syrk(transpose, n, k, 1, transpose ? a.data() : turned.data(), transpose ? k : n, 0, c.data(), n);
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        if (i >= j) {
          EXPECT_NEAR(c(i, j), expected(i, j), tolerance<TypeParam>(1e-12));
        } else {
          EXPECT_EQ(c(i, j), 7);
        }
      }
    }
  }
}

TYPED_TEST(BlasIn, CholeskySolvesAndReadsTheLowerTriangleAlone) {
  const int n = 83;
  const int lda = n + 3;
  const Matrix<TypeParam> root = random_matrix<TypeParam>(n, n, 5);
  const Matrix<TypeParam> a = product<TypeParam>(root, root.transpose()) + n * Matrix<TypeParam>::Identity(n, n);
  const Matrix<TypeParam> x = random_matrix<TypeParam>(n, 4, 6);
  Matrix<TypeParam> factor = Matrix<TypeParam>::Constant(lda, n, 7);
  factor.topRows(n).template triangularView<Eigen::Lower>() = a;
  Matrix<TypeParam> b = product(a, x);
  ASSERT_TRUE(blas::cholesky(n, factor.data(), lda));
  blas::cholesky_solve(n, 4, factor.data(), lda, b.data(), n);
  EXPECT_LT((b - x).cwiseAbs().maxCoeff(), tolerance<TypeParam>(1e-12));
  for (int j = 1; j < n; ++j) EXPECT_EQ(factor(j - 1, j), 7);
}

TYPED_TEST(BlasIn, CholeskySaysSoWhereThereIsNone) {
  Matrix<TypeParam> a = Matrix<TypeParam>::Identity(5, 5);
  a(3, 3) = -1;
  EXPECT_FALSE(blas::cholesky(5, a.data(), 5));
}

// The library prints on standard output, which belongs to the results, where it does not like a dimension.
TYPED_TEST(BlasIn, EmptyMatricesAreNothingToTalkAbout) {
  TypeParam c = 3;
  testing::internal::CaptureStdout();
  blas::gemm<TypeParam>(false, false, 0, 0, 0, 1, nullptr, 0, nullptr, 0, 0, nullptr, 0);
  blas::gemm<TypeParam>(true, false, 1, 1, 0, 1, nullptr, 0, nullptr, 0, 1, &c, 1);
  blas::syrk<TypeParam>(true, 1, 0, 1, nullptr, 0, 1, &c, 1);
  EXPECT_TRUE(blas::cholesky<TypeParam>(0, nullptr, 0));
  blas::solve_right<TypeParam>(0, 0, nullptr, 0, nullptr, 0);
  blas::cholesky_solve<TypeParam>(0, 1, nullptr, 0, nullptr, 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(c, 3);
}

}  // namespace
}  // namespace clade
