#include "math/refined_factor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "math/symmetric_product.h"

namespace clade {
namespace {

Matrix random_matrix(Index rows, Index columns, std::uint64_t seed) {
  RandomStream random(seed, {kTestStream, 72});
  Matrix x(rows, columns);
  for (double& value : x.reshaped()) value = random.normal();
  return x;
}

// X X' with a diagonal over many orders of magnitude, as the penalty makes it; what is above the diagonal is not read.
struct System {
  Matrix lower;
  Matrix b;
};
System random_system(Index n, std::uint64_t seed) {
  const Matrix x = random_matrix(n, n / 2 + 1, seed);
  System system{x * x.transpose(), random_matrix(n, 3, seed + 1)};
  for (Index j = 0; j < n; ++j) system.lower(j, j) += std::pow(10.0, static_cast<double>(j % 10));
  system.lower.triangularView<Eigen::StrictlyUpper>().setConstant(99);
  system.b.col(1).setZero();
  return system;
}

bool solve(const System& system, Matrix& x, int threads) {
  Context ctx({.threads = threads});
  RefinedFactor factor;
  x = system.b;
  const auto columns = [&](Index begin, Index /*end*/, MatrixRef some) {
    some = system.lower.block(begin, begin, some.rows(), some.cols());
  };
  return factor.set(system.lower.diagonal(), columns, ctx) &&
         factor.solve([&](const Matrix& y) { return symmetric_product(system.lower, y, ctx); }, x, ctx);
}

TEST(RefinedFactor, SolvesToDoublePrecision) {
  for (const Index n : {1, 2, 17, 256, 300, 1100}) {
    const System system = random_system(n, 3);
    Matrix x;
    ASSERT_TRUE(solve(system, x, 2)) << n;
    Context ctx;
    Matrix factor = system.lower;
    ASSERT_TRUE(cholesky(factor, ctx));
    Matrix expected = system.b;
    cholesky_solve(factor, expected, ctx);
    // Row by row, because features are ranked by rows: those with a large penalty are small.
    for (Index j = 0; j < n; ++j) {
      const double scale = std::sqrt(system.lower(j, j));
      EXPECT_LE((x.row(j) - expected.row(j)).cwiseAbs().maxCoeff() * scale,
                1e-12 * expected.cwiseAbs().maxCoeff() + 1e-12)
          << n << " " << j;
    }
    EXPECT_TRUE(x.col(1).isZero(0));
  }
}

TEST(RefinedFactor, SolvesByInnerProducts) {
  Context ctx({.threads = 2});
  const Matrix x = random_matrix(700, 300, 5);
  const Vector v = random_matrix(700, 1, 6).cwiseAbs2();
  const Matrix b = random_matrix(300, 4, 7);
  RefinedFactor factor;
  ASSERT_TRUE(factor.set_inner_product(x, v, ctx));
  const auto multiply = [&](const Matrix& y) { return Matrix(y + x.transpose() * (v.asDiagonal() * (x * y))); };
  Matrix solved = b;
  ASSERT_TRUE(factor.solve(multiply, solved, ctx));
  EXPECT_LE((multiply(solved) - b).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(RefinedFactor, DoesNotDependOnThreads) {
  const System system = random_system(1100, 8);
  Matrix one;
  ASSERT_TRUE(solve(system, one, 1));
  for (const int threads : {2, 3}) {
    Matrix several;
    ASSERT_TRUE(solve(system, several, threads));
    EXPECT_EQ(one, several) << threads;
  }
}

TEST(RefinedFactor, SaysThatSinglePrecisionIsNotEnough) {
  // Nearly parallel rows: no diagonal scaling helps.
  const Matrix x = random_matrix(40, 1, 9);
  const System parallel{x * x.transpose() + 1e-8 * Matrix::Identity(40, 40), random_matrix(40, 2, 10)};
  Matrix solved;
  EXPECT_FALSE(solve(parallel, solved, 1));
  const System negative{-Matrix::Identity(3, 3), Matrix::Ones(3, 1)};
  EXPECT_FALSE(solve(negative, solved, 1));
}

}  // namespace
}  // namespace clade
