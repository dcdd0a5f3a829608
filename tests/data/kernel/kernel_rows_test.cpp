#include "data/kernel/kernel_rows.h"

#include <gtest/gtest.h>

#include "core/random.h"
#include "data/kernel/kernel_cases.h"

namespace clade {
namespace {

using testing::arrays_of;
using testing::random_strings;
using testing::random_vectors;

constexpr KernelKind kVectorKernels[] = {KernelKind::kLinear, KernelKind::kPolynomial, KernelKind::kRbf};

// Whatever is kept and thrown away, a row is the row; and the two asked for last are there at the same time.
TEST(KernelRows, AreKernelValuesInAnyMemory) {
  for (const KernelKind kind : kVectorKernels) {
    for (const double share : {1.0, 0.5, 0.05}) {
      RandomStream random(3, {kTestStream, 40});
      const Matrix x = random_vectors(400, 23, share, random);
      const Index n = x.rows();
      const KernelOptions options{.kind = kind, .gamma = 0.05};
      Context ctx({.threads = 2});
      const KernelSamples samples(arrays_of(x), options, ctx);
      const Matrix expected = testing::plain_kernel(x, options);
      for (const Index memory : {Index{0}, 5 * n * Index{8}, (n - 1) * n * Index{8}, n * n * Index{8}}) {
        KernelRows kernel(samples, options, memory, ctx);
        const double tolerance = 1e-11 * std::max(1.0, expected.cwiseAbs().maxCoeff());
        EXPECT_LT((kernel.diagonal() - expected.diagonal()).norm(), tolerance);
        for (int k = 0; k < 1000; ++k) {
          // Some rows often, as a solver does.
          const Index i = random.below(k % 2 == 0 ? 7 : n);
          const Index j = random.below(n);
          const double* const row_i = kernel.row(i);
          const double* const row_j = kernel.row(j);
          ASSERT_LT((Eigen::Map<const Vector>(row_i, n) - expected.col(i)).norm(), tolerance) << share << " " << memory;
          ASSERT_LT((Eigen::Map<const Vector>(row_j, n) - expected.col(j)).norm(), tolerance) << share << " " << memory;
          if (kind == KernelKind::kRbf) {
            ASSERT_EQ(row_i[i], 1);
          }
        }
      }
    }
  }
}

TEST(KernelRows, ComputedTogetherAreTheSameForAnyNumberOfThreads) {
  for (const double share : {1.0, 0.1}) {
    RandomStream random(5, {kTestStream, 42});
    const Matrix x = random_vectors(600, 11, share, random);
    const Index n = x.rows();
    const KernelOptions options{.kind = KernelKind::kRbf, .gamma = 0.05};
    const Matrix expected = testing::plain_kernel(x, options);
    Matrix first;
    for (const int threads : {1, 2, 3}) {
      Context ctx({.threads = threads});
      const KernelSamples samples(arrays_of(x), options, ctx);
      KernelRows kernel(samples, options, 300 * n * Index{8}, ctx);
      ASSERT_EQ(kernel.capacity(), 300);
      Matrix found(n, n);
      for (const Index begin : {Index{0}, Index{200}, Index{300}}) {  // the second time, some are there already
        std::vector<Index> rows;
        for (Index i = begin; i < begin + 300; ++i) rows.push_back(i);
        kernel.compute_together(rows);
        for (const Index i : rows) found.col(i) = Eigen::Map<const Vector>(kernel.row(i), n);
      }
      EXPECT_EQ(kernel.computed_rows(), n);
      EXPECT_LT((found - expected).norm(), 1e-10);
      if (threads == 1) first = found;
      EXPECT_EQ(found, first);
    }
  }
}

// A kernel that holds two rows computes them over and over; one that holds nearly all does not. Neither shows.
TEST(KernelRows, EvictionsChangeNothing) {
  RandomStream random(4, {kTestStream, 41});
  const KernelOptions rbf{.kind = KernelKind::kRbf, .gamma = 0.1};
  const KernelOptions strings{.kind = KernelKind::kSubsequence, .subsequence_length = 2};
  for (const double share : {1.0, 0.1, 0.0}) {
    const bool has_strings = share == 0;
    const KernelOptions& options = has_strings ? strings : rbf;
    const Index n = 150;
    Context one({.threads = 1});
    Context three({.threads = 3});
    const KernelSamples samples(
        has_strings ? random_strings(n, 20, 3, random) : arrays_of(random_vectors(n, 40, share, random)), options, one);
    KernelRows small(samples, options, 0, one);
    KernelRows large(samples, options, (n - 1) * n * Index{8}, three);
    for (int k = 0; k < 1500; ++k) {
      const Index i = random.below(n);
      const double* const a = small.row(i);
      const double* const b = large.row(i);
      ASSERT_TRUE(std::equal(a, a + n, b)) << "row " << i;
    }
    EXPECT_GT(small.computed_rows(), 1000);
    EXPECT_LE(large.computed_rows(), 200);
  }
}

TEST(KernelRows, RowsOfStringsAndOfNoSamples) {
  RandomStream random(5, {kTestStream, 42});
  const KernelOptions options{.kind = KernelKind::kSubsequence, .subsequence_length = 3};
  Context ctx({.threads = 2});
  const KernelSamples samples(random_strings(100, 30, 4, random), options, ctx);
  KernelRows kernel(samples, options, 1000, ctx);
  std::vector<double> row(100);
  for (Index i = 0; i < samples.size(); ++i) {
    samples.row(options, samples, i, row);
    const double* const kept = kernel.row(i);
    ASSERT_TRUE(std::equal(row.begin(), row.end(), kept));
    ASSERT_EQ(kept[i], kernel.diagonal()(i));
  }
  const KernelSamples none(KernelArrays{}, options, ctx);
  EXPECT_EQ(KernelRows(none, options, 1000, ctx).size(), 0);
}

}  // namespace
}  // namespace clade
