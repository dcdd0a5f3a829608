#include "classify/linear/kernel_rows.h"

#include <gtest/gtest.h>

#include "classify/linear/random_rows.h"

namespace clade {
namespace {

// Whatever is kept and thrown away, a row is the row; and the two asked for last are there at the same time.
TEST(KernelRows, AreInnerProductsInAnyMemory) {
  for (const double share : {1.0, 0.5, 0.05}) {
    RandomStream random(3, {kTestStream, 40});
    const Matrix x = testing::random_matrix(700, 23, share, random);
    const TrainingRows rows = testing::rows_of(x);
    std::vector<Index> taken;
    for (Index r = 1; r < x.rows(); r += 1 + random.below(2)) taken.push_back(r);
    const auto n = static_cast<Index>(taken.size());
    Matrix part(n, x.cols());
    for (Index k = 0; k < n; ++k) part.row(k) = x.row(taken[static_cast<std::size_t>(k)]);
    const Matrix expected = part * part.transpose();
    for (const Index memory : {Index{0}, 5 * n * Index{8}, (n - 1) * n * Index{8}, n * n * Index{8}}) {
      Context ctx({.threads = 2});
      KernelRows kernel(rows, taken, memory, ctx);
      EXPECT_LT((kernel.diagonal() - expected.diagonal()).norm(), 1e-11);
      for (int k = 0; k < 2000; ++k) {
        // Some rows often, as a solver does.
        const Index i = random.below(k % 2 == 0 ? 7 : n);
        const Index j = random.below(n);
        const double* const row_i = kernel.row(i);
        const double* const row_j = kernel.row(j);
        ASSERT_LT((Eigen::Map<const Vector>(row_i, n) - expected.col(i)).norm(), 1e-11) << share << " " << memory;
        ASSERT_LT((Eigen::Map<const Vector>(row_j, n) - expected.col(j)).norm(), 1e-11) << share << " " << memory;
      }
    }
  }
}

}  // namespace
}  // namespace clade
