#include "math/dense.h"

#include <Eigen/Cholesky>
#include <atomic>

#include "core/parallel.h"
#include "math/blas/blas.h"

namespace clade {
namespace {

// A tile with its two operands fits the second-level cache, and a 4,096 x 4,096 matrix still has work for many threads.
constexpr Index kTile = 256;

int as_int(Index value) {
  return static_cast<int>(value);
}

struct Range {
  Index begin;
  Index size;
};
Range tile(Index number, Index total) {
  const Index begin = number * kTile;
  return {begin, std::min(kTile, total - begin)};
}

// C(rows, columns) += alpha A(rows, :) B(columns, :)'.
void add_tile(double alpha, const ConstMatrixRef& a, Range rows, const ConstMatrixRef& b, Range columns, Index inner,
              MatrixRef c) {
  blas::gemm(false, true, as_int(rows.size), as_int(columns.size), as_int(inner), alpha, a.data() + rows.begin,
             as_int(a.outerStride()), b.data() + columns.begin, as_int(b.outerStride()), 1,
             c.data() + rows.begin + columns.begin * c.outerStride(), as_int(c.outerStride()));
}

}  // namespace

void add_outer_product(const ConstMatrixRef& a, MatrixRef c, Context& ctx) {
  const Index tiles = chunk_count(a.rows(), kTile);
  parallel_for(ctx, tiles * (tiles + 1) / 2, 1, [&](Index number, Index) {
    Index row = 0;
    while ((row + 1) * (row + 2) / 2 <= number) ++row;
    const Index column = number - row * (row + 1) / 2;
    add_tile(1, a, tile(row, a.rows()), a, tile(column, a.rows()), a.cols(), c);
  });
}

void add_product(const ConstMatrixRef& a, const ConstMatrixRef& b, MatrixRef c, Context& ctx) {
  parallel_for(ctx, a.rows(), kTile, [&](Index begin, Index end) {
    blas::gemm(false, false, as_int(end - begin), as_int(b.cols()), as_int(a.cols()), 1, a.data() + begin,
               as_int(a.outerStride()), b.data(), as_int(b.outerStride()), 1, c.data() + begin,
               as_int(c.outerStride()));
  });
}

void add_transposed_product(const ConstMatrixRef& a, const ConstMatrixRef& b, MatrixRef c, Context& ctx) {
  parallel_for(ctx, a.cols(), kTile, [&](Index begin, Index end) {
    blas::gemm(true, false, as_int(end - begin), as_int(b.cols()), as_int(a.rows()), 1,
               a.data() + begin * a.outerStride(), as_int(a.outerStride()), b.data(), as_int(b.outerStride()), 1,
               c.data() + begin, as_int(c.outerStride()));
  });
}

// Left-looking: each block column is brought up to date by one long product, then factored.
bool cholesky(MatrixRef a, Context& ctx) {
  const Index tiles = chunk_count(a.rows(), kTile);
  for (Index k = 0; k < tiles; ++k) {
    const Range pivot = tile(k, a.rows());
    if (pivot.begin > 0) {
      parallel_for(ctx, tiles - k, 1,
                   [&](Index i, Index) { add_tile(-1, a, tile(k + i, a.rows()), a, pivot, pivot.begin, a); });
    }
    auto diagonal = a.block(pivot.begin, pivot.begin, pivot.size, pivot.size);
    Eigen::LLT<Eigen::Ref<Matrix>, Eigen::Lower> factor(diagonal);
    // A pivot that is not a number passes Eigen's test.
    if (factor.info() != Eigen::Success || !diagonal.diagonal().allFinite()) return false;
    parallel_for(ctx, tiles - k - 1, 1, [&](Index i, Index) {
      const Range rows = tile(k + 1 + i, a.rows());
      auto panel = a.block(rows.begin, pivot.begin, rows.size, pivot.size);
      diagonal.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(panel);
    });
  }
  return true;
}

void cholesky_solve(const ConstMatrixRef& l, MatrixRef b, Context& ctx) {
  constexpr Index kColumns = 4;  // a pass over L serves that many right-hand sides
  parallel_for(ctx, b.cols(), kColumns, [&](Index begin, Index end) {
    auto columns = b.middleCols(begin, end - begin);
    l.triangularView<Eigen::Lower>().solveInPlace(columns);
    l.triangularView<Eigen::Lower>().transpose().solveInPlace(columns);
  });
}

}  // namespace clade
