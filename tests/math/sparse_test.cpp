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

// With few entries in a row, with terms that are kept; with many, or no room for terms, without them.
TEST(Sparse, SquaresForManyWeightsAreThoseOfDenseMatrices) {
  for (const int threads : {1, 2, 3}) {
    Context ctx({.threads = threads});
    for (const double share : {0.0, 0.03, 0.5}) {
      const Matrix dense = random_values(150, 60, share, 1);
      const SparseColumns x = dense.sparseView();
      const SparseColumns across = x.transpose();
      for (const double most_terms : {0.0, 1e6}) {
        const WeightedSquare square(x, across, most_terms);
        for (const std::uint64_t seed : {2, 3}) {
          const Vector v = random_values(150, 1, 1, seed).col(0).cwiseAbs();
          const Matrix before = random_values(60, 60, 1, 3);
          Matrix found = before;
          square.set(v, found, ctx);
          Matrix expected = dense.transpose() * v.asDiagonal() * dense;
          expected.triangularView<Eigen::StrictlyUpper>() = before;
          EXPECT_LE((found - expected).cwiseAbs().sum(), 1e-12 * (1 + expected.cwiseAbs().sum()));
          Matrix summed = Matrix::Zero(60, 60);
          add_weighted_square(x, across, v, summed, ctx);
          summed.triangularView<Eigen::StrictlyUpper>() = before;
          EXPECT_EQ(found, summed);  // in the same order
        }
      }
    }
  }
}

TEST(Sparse, ShortColumnsGiveTheSameRows) {
  const Matrix dense = random_values(40, 150, 0.03, 1);
  const SparseColumns x = dense.sparseView();
  const RowMatrix b = random_values(40, ShortColumns::kWide, 1, 2);
  const ShortColumns columns(x);
  for (const auto& [begin, end] : {std::pair<Index, Index>{0, 150}, {20, 84}, {84, 84}, {149, 150}}) {
    RowMatrix found(end - begin, ShortColumns::kWide);
    columns.transposed_rows(b.data(), begin, end, found.data());
    RowMatrix expected(end - begin, ShortColumns::kWide);
    transposed_rows(x, b, begin, end, expected.data());
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace clade
