#pragma once

#include <clade/types.h>

#include <cstdint>

namespace clade {

// Numbers per feature and class lie together by feature, in rows of this length: filled up, so that the loops over
// classes need no remainder.
inline Index padded_classes(Index classes) {
  return classes <= 2 ? 2 : (classes + 3) / 4 * 4;
}

template <int kWidth>
void add_row_sum_tile(const double* matrix, Index stride, const std::int32_t* row, const double* factor, Index count,
                      double* out) {
  double sum[kWidth];
  for (int m = 0; m < kWidth; ++m) sum[m] = out[m];
  for (Index k = 0; k < count; ++k) {
    const double* const from = matrix + row[k] * stride;
    const double f = factor[k];
    for (int m = 0; m < kWidth; ++m) sum[m] += f * from[m];
  }
  for (int m = 0; m < kWidth; ++m) out[m] = sum[m];
}

// out += sum_k factor[k] matrix[row[k]], rows of length `stride` = padded_classes(). The sums stay in registers.
inline void add_row_sum(const double* matrix, Index stride, const std::int32_t* row, const double* factor, Index count,
                        double* out) {
  if (stride == 2) return add_row_sum_tile<2>(matrix, stride, row, factor, count, out);
  Index at = 0;
  for (; at + 32 <= stride; at += 32) add_row_sum_tile<32>(matrix + at, stride, row, factor, count, out + at);
  for (; at + 8 <= stride; at += 8) add_row_sum_tile<8>(matrix + at, stride, row, factor, count, out + at);
  for (; at < stride; at += 4) add_row_sum_tile<4>(matrix + at, stride, row, factor, count, out + at);
}

}  // namespace clade
