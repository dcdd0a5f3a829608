#include <clade/context.h>
#include <clade/error.h>
#include <clade/paired.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "core/parallel.h"
#include "core/random.h"

namespace clade {
namespace {

// What a sample adds to a measure that is a ratio of two sums.
struct Share {
  Index part = 0;
  Index whole = 0;
  friend bool operator==(const Share&, const Share&) = default;
};

// The sums for A and for B.
struct Sums {
  Share a;
  Share b;

  void add(const Share& to_a, const Share& to_b, Index sign = 1) {
    a.part += sign * to_a.part;
    a.whole += sign * to_a.whole;
    b.part += sign * to_b.part;
    b.whole += sign * to_b.whole;
  }
};

double ratio(const Share& sums) {
  return sums.whole > 0 ? static_cast<double>(sums.part) / static_cast<double>(sums.whole) : 1;
}

// Ratios of whole numbers that are equal on paper may differ in their last bits.
constexpr double kRounding = 1e-12;

class Exchange {
 public:
  template <class ShareOf>
  Exchange(std::span<const NodeOverlap> a, std::span<const NodeOverlap> b, const ShareOf& share_of) {
    if (a.size() != b.size()) throw usage_error("two models differ in their numbers of samples", "expected pairs");
    for (std::size_t s = 0; s < a.size(); ++s) {
      const Share to_a = share_of(a[s]);
      const Share to_b = share_of(b[s]);
      observed_.add(to_a, to_b);
      if (to_a == to_b) {
        fixed_.add(to_a, to_b);
      } else {
        differing_.push_back({to_a, to_b});
      }
    }
    far_ = std::abs(ratio(observed_.a) - ratio(observed_.b)) - kRounding;
  }

  ExchangeTest test(Index permutations, Context& ctx) const {
    ExchangeTest result{ratio(observed_.a), ratio(observed_.b), 1, true};
    const auto bits = static_cast<Index>(std::bit_width(static_cast<std::uint64_t>(permutations))) - 1;
    result.exact = std::ssize(differing_) <= bits;
    result.p = result.exact ? exact_p() : sampled_p(permutations, ctx);
    return result;
  }

 private:
  bool is_far(const Sums& sums) const { return std::abs(ratio(sums.a) - ratio(sums.b)) >= far_; }

  // Goes through all exchanges in the order of the Gray code: each differs from the one before in one sample.
  double exact_p() const {
    Sums sums = observed_;
    std::vector<bool> exchanged(differing_.size());
    const std::uint64_t count = std::uint64_t{1} << differing_.size();
    Index far = is_far(sums) ? 1 : 0;
    for (std::uint64_t k = 1; k < count; ++k) {
      const auto at = static_cast<std::size_t>(std::countr_zero(k));
      const Sums& pair = differing_[at];
      const bool was = exchanged[at];
      sums.add(was ? pair.b : pair.a, was ? pair.a : pair.b, -1);
      sums.add(was ? pair.a : pair.b, was ? pair.b : pair.a);
      exchanged[at] = !was;
      far += is_far(sums) ? 1 : 0;
    }
    return static_cast<double>(far) / static_cast<double>(count);
  }

  double sampled_p(Index permutations, Context& ctx) const {
    constexpr Index kDrawsPerChunk = 64;
    const auto count_far = [&](Index begin, Index end) {
      RandomStream random(ctx.seed(), {kPermutationStream, static_cast<std::uint64_t>(begin)});
      Index far = 0;
      for (Index draw = begin; draw < end; ++draw) far += is_far(random_exchange(random)) ? 1 : 0;
      return far;
    };
    const Index far = parallel_reduce(ctx, permutations, kDrawsPerChunk, Index{0}, count_far,
                                      [](Index& total, Index part) { total += part; });
    return static_cast<double>(far + 1) / static_cast<double>(permutations + 1);
  }

  Sums random_exchange(RandomStream& random) const {
    constexpr std::size_t kBits = 64;
    Sums sums = fixed_;
    std::uint64_t coins = 0;
    for (std::size_t k = 0; k < differing_.size(); ++k) {
      if (k % kBits == 0) coins = random.next();
      const bool exchanges = (coins & 1U) != 0;
      coins >>= 1U;
      sums.add(exchanges ? differing_[k].b : differing_[k].a, exchanges ? differing_[k].a : differing_[k].b);
    }
    return sums;
  }

  Sums observed_;
  Sums fixed_;                   // of samples to which both add the same
  std::vector<Sums> differing_;  // what each of the others adds
  double far_ = 0;
};

}  // namespace

McNemarTest mcnemar_test(Index only_a, Index only_b) {
  McNemarTest result{only_a, only_b, 1};
  const auto n = static_cast<double>(only_a + only_b);
  const auto fewer = static_cast<double>(std::min(only_a, only_b));
  if (2 * fewer >= n) return result;
  // The terms of the smaller tail, the largest first: each is the one before times k / (n - k + 1).
  double term = std::exp(std::lgamma(n + 1) - std::lgamma(fewer + 1) - std::lgamma(n - fewer + 1) - n * std::log(2.0));
  double tail = 0;
  for (double k = fewer; k >= 0 && term > 0; --k) {
    tail += term;
    term *= k / (n - k + 1);
  }
  result.p = std::min(1.0, 2 * tail);
  return result;
}

ExchangeTest f1_exchange_test(std::span<const NodeOverlap> a, std::span<const NodeOverlap> b, Index permutations,
                              Context& ctx) {
  const auto f1 = [](const NodeOverlap& o) { return Share{2 * o.common, o.truth + o.predicted}; };
  return Exchange(a, b, f1).test(permutations, ctx);
}

ExchangeTest accuracy_exchange_test(std::span<const NodeOverlap> a, std::span<const NodeOverlap> b, Index permutations,
                                    Context& ctx) {
  const auto right = [](const NodeOverlap& o) {
    return Share{o.truth == o.common && o.predicted == o.common ? 1 : 0, 1};
  };
  return Exchange(a, b, right).test(permutations, ctx);
}

}  // namespace clade
