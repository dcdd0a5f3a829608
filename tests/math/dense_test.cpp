#include "math/dense.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/random.h"

namespace clade {
namespace {

Matrix random_matrix(Index rows, Index columns, std::uint64_t seed) {
  RandomStream random(seed, {kTestStream});
  return Matrix::NullaryExpr(rows, columns, [&] { return random.normal(); });
}

Matrix positive_definite(Index n, std::uint64_t seed) {
  const Matrix root = random_matrix(n, n, seed);
  return root * root.transpose() + Matrix::Identity(n, n);
}

// One block, several, sizes that end inside one, and more rows than a task takes.
const std::vector<Index> kSizes = {1, 5, 127, 128, 129, 300, 777, 2400};

TEST(Dense, SquaresMatchTheDefinition) {
  Context ctx({.threads = 2});
  for (const Index n : kSizes) {
    const Matrix a = random_matrix(n, 7, 1);
    const Matrix start = random_matrix(n, n, 2);
    Matrix outer = start;
    add_outer_product(a, outer, ctx, -0.5);
    Matrix inner = start;
    add_inner_product(a.transpose(), inner, ctx);
    for (Index j = 0; j < n; ++j) {
      const Index below = n - j;
      const Vector square = a.bottomRows(below) * a.row(j).transpose();
      EXPECT_LT((outer.col(j).tail(below) - start.col(j).tail(below) + 0.5 * square).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_LT((inner.col(j).tail(below) - start.col(j).tail(below) - square).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_EQ(outer.col(j).head(j), start.col(j).head(j)) << "above the diagonal";
      EXPECT_EQ(inner.col(j).head(j), start.col(j).head(j)) << "above the diagonal";
    }
  }
}

TEST(Dense, CholeskyGivesBackTheMatrixAndSolves) {
  Context ctx({.threads = 2});
  for (const Index n : kSizes) {
    if (n > 1000) continue;
    const Matrix a = positive_definite(n, 3);
    Matrix l = a;
    l.triangularView<Eigen::StrictlyUpper>().setConstant(7);
    ASSERT_TRUE(cholesky(l, ctx));
    const Matrix lower = l.triangularView<Eigen::Lower>();
    EXPECT_LT((lower * lower.transpose() - a).cwiseAbs().maxCoeff(), 1e-10 * static_cast<double>(n)) << n;
    if (n > 1) {
      EXPECT_EQ(l(0, n - 1), 7);
    }
    const Matrix x = random_matrix(n, 40, 4);
    Matrix b = a * x;
    cholesky_solve(l, b, ctx);
    EXPECT_LT((a * b - a * x).norm(), 1e-9 * (a * x).norm()) << n;
  }
}

// Few right-hand sides of a large matrix are solved by blocks of rows.
TEST(Dense, SolvesFewColumnsOfALargeMatrix) {
  for (const Index n : {1024, 1100, 1300}) {
    Matrix a = positive_definite(n, 8);
    const Matrix x = random_matrix(n, 3, 9);
    const Matrix b = a * x;
    Matrix first;
    for (const int threads : {1, 3}) {
      Context ctx({.threads = threads});
      Matrix l = a;
      ASSERT_TRUE(cholesky(l, ctx));
      Matrix solved = b;
      cholesky_solve(l, solved, ctx);
      EXPECT_LT((a * solved - b).norm(), 1e-9 * b.norm()) << n;
      if (threads == 1) first = solved;
      EXPECT_EQ(solved, first);
    }
  }
}

TEST(Dense, CholeskySaysSoWhereThereIsNone) {
  Context ctx({.threads = 2});
  for (const Index n : {1, 130, 600}) {
    for (const double pivot : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
      Matrix a = positive_definite(n, 5);
      a(n - 1, n - 1) = pivot;
      EXPECT_FALSE(cholesky(a, ctx)) << n;
    }
  }
}

TEST(Dense, ThreadsChangeNothing) {
  const Index n = 1100;
  const Matrix a = positive_definite(n, 6);
  const Matrix x = random_matrix(n, 50, 7);
  Matrix first_factor;
  Matrix first_solution;
  for (const int threads : {1, 2, 5}) {
    Context ctx({.threads = threads});
    Matrix l = a;
    add_outer_product(x, l, ctx);
    ASSERT_TRUE(cholesky(l, ctx));
    Matrix b = x;
    cholesky_solve(l, b, ctx);
    if (threads == 1) {
      first_factor = l;
      first_solution = b;
    }
    EXPECT_EQ(l, first_factor);
    EXPECT_EQ(b, first_solution);
  }
}

}  // namespace
}  // namespace clade
