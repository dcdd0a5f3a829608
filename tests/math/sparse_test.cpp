#include "math/sparse.h"

#include <gtest/gtest.h>

#include "core/random.h"

namespace clade {
namespace {

Matrix random_values(Index rows, Index columns, double share, std::uint64_t seed) {
  RandomStream random(seed, {kTestStream, 32});
  Matrix a = Matrix::Zero(rows, columns);
  for (double& value : a.reshaped()) {
    if (random.uniform() < share) value = random.normal();
  }
  return a;
}

TEST(Sparse, ProductsAreThoseOfDenseMatrices) {
  for (const int threads : {1, 2, 3}) {
    Context ctx({.threads = threads});
    for (const auto& [rows, columns] : {std::pair<Index, Index>{40, 150}, {150, 40}, {3, 1}, {0, 5}}) {
      const Matrix dense = random_values(rows, columns, 0.2, 1);
      const SparseColumns x = dense.sparseView();
      const Vector v = random_values(rows, 1, 1, 2).col(0).cwiseAbs();
      const Matrix before = random_values(columns, columns, 1, 3);
      Matrix found = before;
      add_weighted_square(x, x.transpose(), v, found, ctx);
      Matrix expected = before + dense.transpose() * v.asDiagonal() * dense;
      // What is above the diagonal stays.
      expected.triangularView<Eigen::StrictlyUpper>() = before;
      EXPECT_LE((found - expected).cwiseAbs().sum(), 1e-12 * (1 + expected.cwiseAbs().sum()));
      for (const Index width : {1, 4, 5, 8, 9, 21}) {
        const Matrix b = random_values(rows, width, 1, 4);
        EXPECT_LE((transposed_product(x, b, ctx) - dense.transpose() * b).norm(), 1e-12 * (1 + b.norm())) << width;
      }
      EXPECT_LE((dense_product(x.transpose(), x) - dense.transpose() * dense).norm(), 1e-12 * (1 + dense.norm()));
    }
  }
}

}  // namespace
}  // namespace clade
