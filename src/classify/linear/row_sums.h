#pragma once

#include <clade/types.h>

#include <Eigen/Core>

namespace clade {

// The numbers of a feature, or a row, for all classes are stored together, in rows of this length: padded, so that the
// loops over classes need no remainder.
inline Index padded_classes(Index classes) {
  return classes <= 2 ? 2 : (classes + 3) / 4 * 4;
}

template <int kWidth, class T>
void add_row_sum_tile(const T* matrix, Index stride, const std::int32_t* row, const T* factor, Index count, T* out) {
  using Lanes = Eigen::Array<T, kWidth, 1>;
  Lanes sum = Eigen::Map<const Lanes>(out);
  for (Index k = 0; k < count; ++k) sum += factor[k] * Eigen::Map<const Lanes>(matrix + row[k] * stride);
  Eigen::Map<Lanes> to(out);
  to = sum;
}

// As two tiles side by side: registers do not hold twelve floats.
template <class T>
void add_row_sum_of_12(const T* matrix, Index stride, const std::int32_t* row, const T* factor, Index count, T* out) {
  using Eight = Eigen::Array<T, 8, 1>;
  using Four = Eigen::Array<T, 4, 1>;
  Eight first = Eigen::Map<const Eight>(out);
  Four second = Eigen::Map<const Four>(out + 8);
  for (Index k = 0; k < count; ++k) {
    const T* const from = matrix + row[k] * stride;
    first += factor[k] * Eigen::Map<const Eight>(from);
    second += factor[k] * Eigen::Map<const Four>(from + 8);
  }
  Eigen::Map<Eight> to(out);
  to = first;
  Eigen::Map<Four> rest(out + 8);
  rest = second;
}

// out += sum_k factor[k] matrix[row[k]], rows of length `stride` = padded_classes(). The sums stay in registers.
template <class T>
void add_row_sum(const T* matrix, Index stride, const std::int32_t* row, const T* factor, Index count, T* out) {
  if (stride == 2) return add_row_sum_tile<2>(matrix, stride, row, factor, count, out);
  Index at = 0;
  for (; at + 32 <= stride; at += 32) add_row_sum_tile<32>(matrix + at, stride, row, factor, count, out + at);
  for (; at + 16 <= stride; at += 16) add_row_sum_tile<16>(matrix + at, stride, row, factor, count, out + at);
  if (stride - at == 12) return add_row_sum_of_12(matrix + at, stride, row, factor, count, out + at);
  for (; at + 8 <= stride; at += 8) add_row_sum_tile<8>(matrix + at, stride, row, factor, count, out + at);
  for (; at < stride; at += 4) add_row_sum_tile<4>(matrix + at, stride, row, factor, count, out + at);
}

}  // namespace clade
