#include "math/symmetric_product.h"

#include <gtest/gtest.h>

#include "core/random.h"

namespace clade {
namespace {

Matrix random_matrix(Index rows, Index columns, std::uint64_t seed) {
  RandomStream random(seed, {kTestStream, 74});
  Matrix x(rows, columns);
  for (double& value : x.reshaped()) value = random.normal();
  return x;
}

// A triangle within a larger matrix; what is above the diagonal is not read.
Matrix framed_triangle(Index n) {
  Matrix matrix = random_matrix(n + 3, n, 1);
  matrix.topRows(n).triangularView<Eigen::StrictlyUpper>().setConstant(99);
  return matrix;
}

TEST(SymmetricProduct, IsThatOfTheWholeMatrix) {
  Context ctx({.threads = 2});
  for (const Index n : {1, 3, 4, 255, 256, 261, 1300}) {
    const Matrix framed = framed_triangle(n);
    const Matrix whole = framed.topRows(n).selfadjointView<Eigen::Lower>();
    for (const Index columns : {1, 7, 8, 9, 20}) {
      Matrix x = random_matrix(n, columns, 2);
      if (columns > 2) x.col(1).setZero();
      const Matrix product = symmetric_product(framed.topRows(n), x, ctx);
      EXPECT_LE((product - whole * x).cwiseAbs().maxCoeff(), 1e-12 * static_cast<double>(n)) << n << " " << columns;
    }
  }
}

TEST(SymmetricProduct, OfNoColumnsIsEmpty) {
  Context ctx;
  EXPECT_EQ(symmetric_product(Matrix::Identity(5, 5), Matrix(5, 0), ctx).cols(), 0);
  EXPECT_EQ(symmetric_product(Matrix::Identity(5, 5), Matrix::Zero(5, 2), ctx), Matrix::Zero(5, 2));
}

TEST(SymmetricProduct, DoesNotDependOnThreads) {
  const Matrix framed = framed_triangle(1100);
  const Matrix x = random_matrix(1100, 9, 3);
  Context one({.threads = 1});
  const Matrix expected = symmetric_product(framed.topRows(1100), x, one);
  for (const int threads : {2, 3}) {
    Context several({.threads = threads});
    EXPECT_EQ(symmetric_product(framed.topRows(1100), x, several), expected) << threads;
  }
}

}  // namespace
}  // namespace clade
