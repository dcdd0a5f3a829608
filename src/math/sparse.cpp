#include "math/sparse.h"

#include "core/parallel.h"

namespace clade {

Matrix transposed_product(const SparseColumns& x, const RowMatrix& b, Context& ctx) {
  constexpr Index kColumnsPerTask = 64;
  RowMatrix product(x.cols(), b.cols());
  parallel_for(ctx, x.cols(), kColumnsPerTask, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) {
      auto row = product.row(c);
      row.setZero();
      for (SparseColumns::InnerIterator it(x, c); it; ++it) row += it.value() * b.row(it.row());
    }
  });
  return product;
}

void add_weighted_square(const SparseColumns& x, const SparseColumns& across, const Vector& v, MatrixRef square,
                         Context& ctx) {
  constexpr Index kColumnsPerTask = 16;
  parallel_for(ctx, x.cols(), kColumnsPerTask, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) {
      double* const column = square.col(c).data();
      for (SparseColumns::InnerIterator it(x, c); it; ++it) {
        const double scaled = v(it.row()) * it.value();
        // From the end down to the diagonal; everything before it belongs to the upper triangle.
        const auto* const first = across.innerIndexPtr() + across.outerIndexPtr()[it.row()];
        const auto* last = across.innerIndexPtr() + across.outerIndexPtr()[it.row() + 1];
        const double* value = across.valuePtr() + across.outerIndexPtr()[it.row() + 1];
        while (last != first && *(last - 1) >= c) column[*--last] += scaled * *--value;
      }
    }
  });
}

Matrix dense_product(const SparseColumns& a, const SparseColumns& b) {
  return Matrix(SparseColumns(a * b));
}

}  // namespace clade
