#pragma once

#include <cstddef>
#include <cstring>

#include "classify/prepared_outputs.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace clade::full_row_sums {

// As many as the processor adds side by side. Compilers convert floats in pieces unless they are told how.
#if defined(__AVX512F__)
inline constexpr std::size_t kLanes = 8;
#elif defined(__AVX__)
inline constexpr std::size_t kLanes = 4;
#else
inline constexpr std::size_t kLanes = 2;
#endif
static_assert(FullRows::kPadding % kLanes == 0);
using Sums = double __attribute__((vector_size(kLanes * sizeof(double))));

inline void add_lanes(const float* weights, const Sums& by, Sums& sums) {
#if defined(__AVX512F__)
  sums += by * Sums(_mm512_cvtps_pd(_mm256_loadu_ps(weights)));
#elif defined(__AVX__)
  sums += by * Sums(_mm256_cvtps_pd(_mm_loadu_ps(weights)));
#else
  sums += by * Sums{static_cast<double>(weights[0]), static_cast<double>(weights[1])};
#endif
}

// Adds value x weight to each sum. With two rows, in one pass, which reads and writes the sums only once; each sum gets
// the first, and then the second.
inline void add_row(const float* row, double value, double* sums, std::size_t width) {
  const Sums by = Sums{} + value;
  for (std::size_t o = 0; o < width; o += kLanes) {
    Sums sum;
    std::memcpy(&sum, sums + o, sizeof sum);
    add_lanes(row + o, by, sum);
    std::memcpy(sums + o, &sum, sizeof sum);
  }
}

inline void add_two_rows(const float* first, double first_value, const float* second, double second_value, double* sums,
                         std::size_t width) {
  const Sums by_first = Sums{} + first_value;
  const Sums by_second = Sums{} + second_value;
  for (std::size_t o = 0; o < width; o += kLanes) {
    Sums sum;
    std::memcpy(&sum, sums + o, sizeof sum);
    add_lanes(first + o, by_first, sum);
    add_lanes(second + o, by_second, sum);
    std::memcpy(sums + o, &sum, sizeof sum);
  }
}

}  // namespace clade::full_row_sums
