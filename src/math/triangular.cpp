#include "math/triangular.h"

#include "core/parallel.h"
#include "math/blas/blas.h"

namespace clade {

void solve_right(const ConstMatrixRef& l, MatrixRef b, Context& ctx) {
  constexpr Index kRows = 256;
  parallel_for(ctx, b.rows(), kRows, [&](Index begin, Index end) {
    blas::solve_right(static_cast<int>(end - begin), static_cast<int>(b.cols()), l.data(),
                      static_cast<int>(l.outerStride()), b.data() + begin, static_cast<int>(b.outerStride()));
  });
}

void solve_transposed(const ConstMatrixRef& l, MatrixRef b, Context& ctx) {
  constexpr Index kColumns = 16;
  parallel_for(ctx, b.cols(), kColumns, [&](Index begin, Index end) {
    auto some = b.middleCols(begin, end - begin);
    l.triangularView<Eigen::Lower>().transpose().solveInPlace(some);
  });
}

}  // namespace clade
