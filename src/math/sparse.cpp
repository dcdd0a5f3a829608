#include "math/sparse.h"

#include <algorithm>

#include "core/parallel.h"

namespace clade {

namespace {

// The sum of some rows of a row-major matrix, each times its value: kWidth columns of it.
template <int kWidth>
void add_up(const int* rows, const double* values, Index count, const double* b, Index stride, double* out) {
  Eigen::Array<double, kWidth, 1> sum = Eigen::Array<double, kWidth, 1>::Zero();
  for (Index k = 0; k < count; ++k) {
    sum += values[k] * Eigen::Map<const Eigen::Array<double, kWidth, 1>>(b + rows[k] * stride);
  }
  std::copy(sum.begin(), sum.end(), out);
}

using AddUp = void (*)(const int*, const double*, Index, const double*, Index, double*);
constexpr Index kWidest = 8;
constexpr AddUp kAddUp[] = {nullptr,   add_up<1>, add_up<2>, add_up<3>, add_up<4>,
                            add_up<5>, add_up<6>, add_up<7>, add_up<8>};

}  // namespace

void transposed_rows(const SparseColumns& x, const RowMatrix& b, Index begin, Index end, double* product) {
  const Index width = b.cols();
  for (Index c = begin; c < end; ++c) {
    const auto first = x.outerIndexPtr()[c];
    const auto count = x.outerIndexPtr()[c + 1] - first;
    for (Index at = 0; at < width; at += kWidest) {
      kAddUp[std::min(kWidest, width - at)](x.innerIndexPtr() + first, x.valuePtr() + first, count, b.data() + at,
                                            width, product + (c - begin) * width + at);
    }
  }
}

Matrix transposed_product(const SparseColumns& x, const RowMatrix& b, Context& ctx) {
  constexpr Index kColumnsPerTask = 64;
  RowMatrix product(x.cols(), b.cols());
  parallel_for(ctx, x.cols(), kColumnsPerTask,
               [&](Index begin, Index end) { transposed_rows(x, b, begin, end, product.data() + begin * b.cols()); });
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
