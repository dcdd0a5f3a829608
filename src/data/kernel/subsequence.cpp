#include "data/kernel/subsequence.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/check.h"

namespace clade {
namespace {

// Strings compared at a time, one per lane: as many as a register of the processor holds.
#if defined(__AVX512F__)
constexpr std::size_t kLanes = 8;
#elif defined(__AVX__)
constexpr std::size_t kLanes = 4;
#else
constexpr std::size_t kLanes = 2;
#endif
constexpr double kBehindTheEnd = -1.0;  // no symbol: pads shorter strings

// Processors compute the lanes side by side, but compilers do not vectorise this on their own.
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));

inline void load(const double* from, Lanes& lanes) {
  std::memcpy(&lanes, from, sizeof lanes);
}

// One symbol of s against up to kLanes strings. `old_previous` is the P for one symbol fewer, from the previous row;
// null for the first symbol of a subsequence. `p` becomes the P of this row; null for the last symbol, whose D are
// added to `sum`.
void advance_row(double symbol, double decay, const double* t, std::size_t longest, const double* old_previous,
                 double* p, double* sum) {
  const Lanes zero = {};
  const Lanes one = zero + 1.0;
  const Lanes wanted = zero + symbol;
  Lanes q = {};
  Lanes before = one;
  Lanes at;
  Lanes updated;
  for (std::size_t j = 0; j < longest; ++j) {
    if (old_previous != nullptr) load(old_previous + j * kLanes, before);
    load(t + j * kLanes, at);
    const Lanes d = at == wanted ? before : zero;
    if (p == nullptr) {
      q += d;
      continue;
    }
    q = decay * q + d;
    double* const target = p + (j + 1) * kLanes;
    load(target, updated);
    updated = decay * updated + q;
    std::memcpy(target, &updated, sizeof updated);
  }
  if (p != nullptr) return;
  for (std::size_t l = 0; l < kLanes; ++l) sum[l] += q[l];
}

}  // namespace

void SubsequenceKernel::values(std::span<const double> s, std::span<const std::span<const double>> others,
                               std::span<double> out) const {
  CLADE_CHECK(others.size() == out.size());
  const auto length = static_cast<std::size_t>(length_);
  std::fill(out.begin(), out.end(), 0.0);
  if (s.size() < length) return;

  // Groups strings of similar length.
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < others.size(); ++k) {
    if (others[k].size() >= length) order.push_back(k);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return others[a].size() != others[b].size() ? others[a].size() < others[b].size() : a < b;
  });

  std::vector<double> t;
  std::vector<double> rows;
  for (std::size_t first = 0; first < order.size(); first += kLanes) {
    const std::size_t lanes = std::min(kLanes, order.size() - first);
    const std::size_t longest = others[order[first + lanes - 1]].size();
    t.assign(longest * kLanes, kBehindTheEnd);
    for (std::size_t l = 0; l < lanes; ++l) {
      const auto string = others[order[first + l]];
      for (std::size_t j = 0; j < string.size(); ++j) t[j * kLanes + l] = string[j];
    }
    // P_1 ... P_{p-1} of the previous row; position 0 is before the first symbol.
    const std::size_t row_size = (longest + 1) * kLanes;
    rows.assign((length - 1) * row_size, 0.0);
    double sum[kLanes] = {};
    for (const double symbol : s) {
      for (std::size_t m = length; m >= 1; --m) {
        const double* const old_previous = m == 1 ? nullptr : rows.data() + (m - 2) * row_size;
        double* const p = m == length ? nullptr : rows.data() + (m - 1) * row_size;
        advance_row(symbol, decay_, t.data(), longest, old_previous, p, sum);
      }
    }
    for (std::size_t l = 0; l < lanes; ++l) out[order[first + l]] = sum[l];
  }
}

}  // namespace clade
