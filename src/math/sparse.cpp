#include "math/sparse.h"

#include <algorithm>
#include <span>

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

WeightedSquare::WeightedSquare(const SparseColumns& x, const SparseColumns& across, double most_terms)
    : x_(x), across_(across) {
  double count = 0;
  for (Index row = 0; row < across.cols(); ++row) {
    const auto entries = static_cast<double>(across.col(row).nonZeros());
    count += entries * (entries + 1) / 2;
  }
  const auto size = static_cast<double>(x.cols());
  if (count > std::min(most_terms, size * size)) return;
  terms_.reserve(static_cast<std::size_t>(count));
  offsets_.reserve(static_cast<std::size_t>(x.cols()) + 1);
  offsets_.push_back(0);
  for (Index c = 0; c < x.cols(); ++c) {
    std::int32_t entry = 0;
    for (SparseColumns::InnerIterator it(x, c); it; ++it, ++entry) {
      for (SparseColumns::ReverseInnerIterator other(across, it.row()); other && other.row() >= c; --other) {
        terms_.push_back({entry, static_cast<std::int32_t>(other.row()), other.value()});
      }
    }
    offsets_.push_back(terms_.size());
  }
}

void WeightedSquare::set(const Vector& v, MatrixRef square, Context& ctx) const {
  constexpr Index kColumnsPerTask = 16;
  if (offsets_.empty()) {
    square.triangularView<Eigen::Lower>().setZero();
    return add_weighted_square(x_, across_, v, square, ctx);
  }
  parallel_for(ctx, x_.cols(), kColumnsPerTask, [&](Index begin, Index end) {
    std::vector<double> scaled;
    for (Index c = begin; c < end; ++c) {
      scaled.clear();
      for (SparseColumns::InnerIterator it(x_, c); it; ++it) scaled.push_back(v(it.row()) * it.value());
      square.col(c).tail(square.rows() - c).setZero();
      double* const column = square.col(c).data();
      const auto first = offsets_[static_cast<std::size_t>(c)];
      const auto last = offsets_[static_cast<std::size_t>(c) + 1];
      for (const Term& term : std::span(terms_).subspan(first, last - first)) {
        column[term.row] += scaled[static_cast<std::size_t>(term.entry)] * term.value;
      }
    }
  });
}

ShortColumns::ShortColumns(const SparseColumns& x) : x_(x) {
  column_.reserve(static_cast<std::size_t>(x.nonZeros()));
  for (Index c = 0; c < x.cols(); ++c) {
    column_.insert(column_.end(), static_cast<std::size_t>(x.col(c).nonZeros()), static_cast<std::int32_t>(c));
  }
}

void ShortColumns::transposed_rows(const double* b, Index begin, Index end, double* product) const {
  using Wide = Eigen::Array<double, kWide, 1>;
  std::fill(product, product + (end - begin) * kWide, 0.0);
  for (Index k = x_.outerIndexPtr()[begin]; k < x_.outerIndexPtr()[end]; ++k) {
    Eigen::Map<Wide> sum(product + (column_[static_cast<std::size_t>(k)] - begin) * kWide);
    sum += x_.valuePtr()[k] * Eigen::Map<const Wide>(b + x_.innerIndexPtr()[k] * kWide);
  }
}

Matrix dense_product(const SparseColumns& a, const SparseColumns& b) {
  return Matrix(SparseColumns(a * b));
}

}  // namespace clade
