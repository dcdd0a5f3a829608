#pragma once

#include <clade/parameters.h>
#include <clade/types.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace clade {

enum class KernelKind : std::uint8_t {
  kLinear,       // <x, y>
  kPolynomial,   // (gamma <x, y> + coef0)^degree
  kRbf,          // exp(-gamma ||x - y||^2)
  kExponential,  // exp(-gamma ||x - y||)
  kSubsequence,  // of strings: src/data/kernel/subsequence.h
  kPrecomputed,  // the features of a sample are its kernel values with the training samples
};

inline constexpr Choice<KernelKind> kKernelWords[] = {{KernelKind::kLinear, "linear"},
                                                      {KernelKind::kPolynomial, "polynomial"},
                                                      {KernelKind::kRbf, "rbf"},
                                                      {KernelKind::kExponential, "exponential"},
                                                      {KernelKind::kSubsequence, "subsequence"},
                                                      {KernelKind::kPrecomputed, "precomputed"}};

struct KernelOptions {
  KernelKind kind = KernelKind::kLinear;
  int degree = 3;
  // NaN: 1 / (features x variance of all values), or its root, which with_gamma() of kernel_samples.h fills in.
  double gamma = std::numeric_limits<double>::quiet_NaN();
  double coef0 = 1;
  int subsequence_length = 4;
  double decay = 0.5;
  Index cache_megabytes = 256;

  Index cache_bytes() const { return cache_megabytes << 20; }
};

template <class V>
void describe(V& v, KernelOptions& o) {
  v("kernel", o.kind, kKernelWords, "similarity of two samples; subsequence: of sequences alone");
  v("degree", o.degree, between(1, 100), "polynomial kernel: the power");
  v("gamma", o.gamma, positive(),
    "polynomial, rbf and exponential kernels: the scale; auto: 1 / (features x variance of all values), exponential: "
    "its "
    "square root");
  v("coef0", o.coef0, nonnegative(), "polynomial kernel: what is added before the power is taken");
  v("subsequence-length", o.subsequence_length, between(1, 1000), "subsequence kernel: symbols of a subsequence");
  v("decay", o.decay, Range{.low = 0, .high = 1, .low_open = true},
    "subsequence kernel: factor for every symbol that a subsequence leaps over");
  v("kernel-cache", o.cache_megabytes, between(1, 1 << 20), "megabytes for kernel values that are kept");
}

// Is the kernel a function of inner products and lengths alone?
inline bool is_of_vectors(KernelKind kind) {
  return kind == KernelKind::kLinear || kind == KernelKind::kPolynomial || kind == KernelKind::kRbf ||
         kind == KernelKind::kExponential;
}

// The value of a kernel of vectors, given their inner product and squared lengths. Rounding makes no distance negative:
// no value of rbf or exponential exceeds 1.
inline double kernel_value(const KernelOptions& options, double product, double square_a, double square_b) {
  if (options.kind == KernelKind::kRbf) {
    return std::exp(-options.gamma * std::max(0.0, square_a + square_b - 2 * product));
  }
  if (options.kind == KernelKind::kExponential) {
    return std::exp(-options.gamma * std::sqrt(std::max(0.0, square_a + square_b - 2 * product)));
  }
  if (options.kind == KernelKind::kLinear) return product;
  double base = options.gamma * product + options.coef0;
  double power = 1;
  for (int left = options.degree; left > 0; left /= 2) {
    if (left % 2 == 1) power *= base;
    base *= base;
  }
  return power;
}

}  // namespace clade
