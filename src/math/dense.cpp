#include "math/dense.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "core/parallel.h"
#include "math/blas/blas.h"

namespace clade {
namespace {

// A task multiplies a tall block by a narrow one. Both are packed again for each task; there should be several times as
// many tasks as threads, of similar size. The sizes depend on the matrix alone, so that results do not depend on the
// number of threads.
constexpr Index kNarrow = 128;
constexpr Index kRowsPerTask = 256;  // for a product with few columns

Index narrow(Index size) {
  constexpr Index kWanted = 16;
  return size >= kWanted * 2 * kNarrow ? 2 * kNarrow : kNarrow;
}
Index tall(Index size) {
  constexpr Index kWanted = 16;
  return size >= kWanted * kNarrow ? 4 * kNarrow : 2 * kNarrow;
}

template <class Scalar>
using Ref = Eigen::Ref<Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>>;
template <class Scalar>
using ConstRef = Eigen::Ref<const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>>;

int as_int(Index value) {
  return static_cast<int>(value);
}

// A block of the lower triangle: all columns [column, column + columns), rows from `row`.
struct Block {
  Index row;
  Index rows;
  Index column;
  Index columns;
};
std::vector<Block> triangle_blocks(Index size) {
  std::vector<Block> blocks;
  const Index step = narrow(size);
  const Index height = tall(size);
  for (Index column = 0; column < size; column += step) {
    const Index columns = std::min(step, size - column);
    blocks.push_back({column, columns, column, columns});
    for (Index row = column + columns; row < size; row += height) {
      blocks.push_back({row, std::min(height, size - row), column, columns});
    }
  }
  return blocks;
}

// The lower triangle of C += alpha op(A) op(A)'; op is the transpose or nothing.
template <class Scalar>
void add_square(bool transpose, std::type_identity_t<Scalar> alpha, const ConstRef<Scalar>& a, Ref<Scalar> c,
                Context& ctx) {
  const std::vector<Block> blocks = triangle_blocks(c.rows());
  const int inner = as_int(transpose ? a.rows() : a.cols());
  const auto operand = [&](Index at) { return a.data() + at * (transpose ? a.outerStride() : 1); };
  const int lda = as_int(a.outerStride());
  const int ldc = as_int(c.outerStride());
  parallel_for(ctx, static_cast<Index>(blocks.size()), 1, [&](Index number, Index) {
    const Block& block = blocks[static_cast<std::size_t>(number)];
    Scalar* target = c.data() + block.row + block.column * c.outerStride();
    if (block.row == block.column) {
      blas::syrk(transpose, as_int(block.rows), inner, alpha, operand(block.row), lda, 1, target, ldc);
    } else {
      blas::gemm(transpose, !transpose, as_int(block.rows), as_int(block.columns), inner, alpha, operand(block.row),
                 lda, operand(block.column), lda, 1, target, ldc);
    }
  });
}

}  // namespace

void add_outer_product(const ConstMatrixRef& a, MatrixRef c, Context& ctx, double factor) {
  add_square<double>(false, factor, a, c, ctx);
}

void add_inner_product(const ConstMatrixRef& a, MatrixRef c, Context& ctx) {
  add_square<double>(true, 1, a, c, ctx);
}

void add_inner_product(const ConstFloatMatrixRef& a, FloatMatrixRef c, Context& ctx) {
  add_square<float>(true, 1, a, c, ctx);
}

void add_product(const ConstMatrixRef& a, const ConstMatrixRef& b, MatrixRef c, Context& ctx) {
  parallel_for(ctx, a.rows(), kRowsPerTask, [&](Index begin, Index end) {
    blas::gemm(false, false, as_int(end - begin), as_int(b.cols()), as_int(a.cols()), 1, a.data() + begin,
               as_int(a.outerStride()), b.data(), as_int(b.outerStride()), 1, c.data() + begin,
               as_int(c.outerStride()));
  });
}

void add_transposed_product(const ConstMatrixRef& a, const ConstMatrixRef& b, MatrixRef c, Context& ctx) {
  parallel_for(ctx, a.cols(), kRowsPerTask, [&](Index begin, Index end) {
    blas::gemm(true, false, as_int(end - begin), as_int(b.cols()), as_int(a.rows()), 1,
               a.data() + begin * a.outerStride(), as_int(a.outerStride()), b.data(), as_int(b.outerStride()), 1,
               c.data() + begin, as_int(c.outerStride()));
  });
}

namespace {

// B becomes B L'^-1, for a few rows of B: recursive, because products are faster than the library's solves, whose time
// goes into packing L again and again.
template <class Scalar>
void solve_rows(Index rows, Index n, const Scalar* l, Index ldl, Scalar* b, Index ldb) {
  constexpr Index kWhole = 128;
  if (n <= kWhole) {
    blas::solve_right(as_int(rows), as_int(n), l, as_int(ldl), b, as_int(ldb));
    return;
  }
  const Index first = (n / 2 + kNarrow - 1) / kNarrow * kNarrow;
  solve_rows(rows, first, l, ldl, b, ldb);
  blas::gemm(false, true, as_int(rows), as_int(n - first), as_int(first), -1, b, as_int(ldb), l + first, as_int(ldl), 1,
             b + first * ldb, as_int(ldb));
  solve_rows(rows, n - first, l + first + first * ldl, ldl, b + first * ldb, ldb);
}

// Recursive: two halves, and between them large products, which take most of the time.
template <class Scalar>
bool factor(Ref<Scalar> a, Context& ctx) {
  constexpr Index kWhole = 128;  // what is left runs on one thread, and others wait for it
  constexpr Index kRowsPerSolve = 64;
  const Index n = a.rows();
  if (n <= kWhole) {
    // A NaN pivot passes the library's test.
    return n == 0 || (blas::cholesky(as_int(n), a.data(), as_int(a.outerStride())) && a.diagonal().allFinite());
  }
  const Index first = (n / 2 + kNarrow - 1) / kNarrow * kNarrow;
  const Index rest = n - first;
  auto pivot = a.topLeftCorner(first, first);
  if (!factor<Scalar>(pivot, ctx)) return false;
  auto below = a.bottomLeftCorner(rest, first);
  parallel_for(ctx, rest, std::max(kRowsPerSolve, rest / 16), [&](Index begin, Index end) {
    solve_rows(end - begin, first, pivot.data(), a.outerStride(), below.data() + begin, a.outerStride());
  });
  auto corner = a.bottomRightCorner(rest, rest);
  add_square<Scalar>(false, -1, below, corner, ctx);
  return factor<Scalar>(corner, ctx);
}

constexpr Index kSolveBlock = 256;

// L X = B for few columns, by blocks of rows: what is below a block is updated in parallel.
template <class Scalar>
void solve_forward(const ConstRef<Scalar>& l, Ref<Scalar> b, Context& ctx) {
  const Index n = l.rows();
  for (Index begin = 0; begin < n; begin += kSolveBlock) {
    const Index size = std::min(kSolveBlock, n - begin);
    auto solved = b.middleRows(begin, size);
    l.block(begin, begin, size, size).template triangularView<Eigen::Lower>().solveInPlace(solved);
    const Index below = n - begin - size;
    parallel_for(ctx, below, kRowsPerTask, [&](Index first, Index last) {
      const Index row = begin + size + first;
      blas::gemm(false, false, as_int(last - first), as_int(b.cols()), as_int(size), -1,
                 l.data() + row + begin * l.outerStride(), as_int(l.outerStride()), &b(begin, 0),
                 as_int(b.outerStride()), 1, &b(row, 0), as_int(b.outerStride()));
    });
  }
}

// L' X = B.
template <class Scalar>
void solve_backward(const ConstRef<Scalar>& l, Ref<Scalar> b, Context& ctx) {
  for (Index end = l.rows(); end > 0;) {
    const Index begin = (end - 1) / kSolveBlock * kSolveBlock;
    const Index size = end - begin;
    auto solved = b.middleRows(begin, size);
    l.block(begin, begin, size, size).template triangularView<Eigen::Lower>().transpose().solveInPlace(solved);
    parallel_for(ctx, begin, kRowsPerTask, [&](Index first, Index last) {
      blas::gemm(true, false, as_int(last - first), as_int(b.cols()), as_int(size), -1,
                 l.data() + begin + first * l.outerStride(), as_int(l.outerStride()), &b(begin, 0),
                 as_int(b.outerStride()), 1, &b(first, 0), as_int(b.outerStride()));
    });
    end = begin;
  }
}

template <class Scalar>
void solve_factored(const ConstRef<Scalar>& l, Ref<Scalar> b, Context& ctx) {
  constexpr Index kColumns = 32;  // right-hand sides per pass over L
  constexpr Index kLarge = 1024;  // from so many rows on, a pass with few columns is worth sharing
  if (l.rows() >= kLarge && b.cols() <= kColumns) {
    solve_forward<Scalar>(l, b, ctx);
    solve_backward<Scalar>(l, b, ctx);
    return;
  }
  parallel_for(ctx, b.cols(), kColumns, [&](Index begin, Index end) {
    blas::cholesky_solve(as_int(l.rows()), as_int(end - begin), l.data(), as_int(l.outerStride()), b.col(begin).data(),
                         as_int(b.outerStride()));
  });
}

}  // namespace

bool cholesky(MatrixRef a, Context& ctx) {
  return factor<double>(a, ctx);
}

bool cholesky(FloatMatrixRef a, Context& ctx) {
  return factor<float>(a, ctx);
}

void cholesky_solve(const ConstMatrixRef& l, MatrixRef b, Context& ctx) {
  solve_factored<double>(l, b, ctx);
}

void cholesky_solve(const ConstFloatMatrixRef& l, FloatMatrixRef b, Context& ctx) {
  solve_factored<float>(l, b, ctx);
}

Matrix scaled_rows(const Vector& v, const ConstMatrixRef& a, Context& ctx) {
  Matrix result(a.rows(), a.cols());
  parallel_for(ctx, a.cols(), kRowsPerTask, [&](Index begin, Index end) {
    result.middleCols(begin, end - begin).noalias() = v.asDiagonal() * a.middleCols(begin, end - begin);
  });
  return result;
}

}  // namespace clade
