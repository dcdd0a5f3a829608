#include "classify/pack.h"

#include <clade/error.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>

#include "core/check.h"
#include "core/large_pages.h"
#include "core/parallel.h"

namespace clade {
namespace {

// Finds the size below which weights are dropped: together they make up at most `share` of the sum of squares. Sizes
// are counted in buckets of an eighth of an octave, then those of the bucket in which the share is reached in 256 finer
// ones; only one of these has to be sorted. Weights are taken without branches, because it is not to be foreseen which
// ones.
class SmallestKept {
 public:
  // weight(k) for k below `count`.
  template <class Weight>
  SmallestKept(std::size_t count, const Weight& weight, double share) {
    if (share == 0) return;
    std::array<double, kBuckets> squares{};
    for (std::size_t k = 0; k < count; ++k) {
      squares[std::max(bucket_of(weight(k)), k % kTiny)] += weight(k) * weight(k);
    }
    const double total = sum_of(squares);
    if (!std::isfinite(total)) return;
    limit_ = share * total;
    std::size_t bucket = 0;
    while (bucket < kBuckets && dropped_ + squares[bucket] <= limit_) dropped_ += squares[bucket++];
    if (bucket == kBuckets) return;
    if (bucket < kTiny) dropped_ = 0;
    low_ = bucket < kTiny ? 0 : lower_end(bucket);
    high_ = bucket + 1 == kBuckets ? std::numeric_limits<double>::infinity() : lower_end(std::max(bucket + 1, kTiny));
    is_regular_ = bucket >= kTiny && bucket + 1 < kBuckets;
  }

  // All smaller ones are dropped, as are zeros.
  double at_least() const { return std::max(low_, std::numeric_limits<double>::denorm_min()); }

  // The size itself. The weights are those from at_least() on, or all.
  template <class Weight>
  double among(std::size_t count, const Weight& weight) {
    if (high_ == 0) return 0;
    Buffer<double> sizes(static_cast<Index>(count) + 1);
    Index found = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const double size = std::abs(weight(k));
      sizes[found] = size;
      found += static_cast<Index>(size >= low_) & static_cast<Index>(size < high_);
    }
    return least_of({sizes.data(), static_cast<std::size_t>(found)});
  }

 private:
  static constexpr unsigned kShift = 49;  // leaves the exponent and three bits of the fraction
  static constexpr unsigned kFineBits = 8;
  static constexpr std::size_t kBuckets = 2048;  // from 2^-126 to 2^130; what is beyond is in the first and the last
  static constexpr std::uint64_t kLowest = 897 * 8;  // 2^-126
  // Zeros are spread over the first buckets: adding to the same one again and again would take longer. So the order of
  // these, whose numbers are next to nothing, is not known.
  static constexpr std::size_t kTiny = 8;

  static std::size_t bucket_of(double weight) {
    const auto key = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(weight) << 1U >> (kShift + 1));
    return static_cast<std::size_t>(std::clamp<std::int64_t>(key - std::int64_t{kLowest}, 0, kBuckets - 1));
  }
  static double lower_end(std::size_t bucket) { return std::bit_cast<double>((bucket + kLowest) << kShift); }

  // In several strands, because each addition waits for the one before.
  static double sum_of(const std::array<double, kBuckets>& squares) {
    std::array<double, 8> sums{};
    for (std::size_t k = 0; k < kBuckets; ++k) sums[k % sums.size()] += squares[k];
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  }

  double least_of(std::span<double> sizes) {
    if (!is_regular_) return sorted(sizes);
    constexpr std::size_t kFine = std::size_t{1} << kFineBits;
    const auto fine_bucket_of = [](double size) {
      return static_cast<std::size_t>(std::bit_cast<std::uint64_t>(size) >> (kShift - kFineBits)) % kFine;
    };
    std::array<double, kFine> squares{};
    for (const double size : sizes) squares[fine_bucket_of(size)] += size * size;
    std::size_t fine = 0;
    // Rounded otherwise than the whole bucket, the sum may stay below the limit: then it is reached in the last.
    while (fine + 1 < kFine && dropped_ + squares[fine] <= limit_) dropped_ += squares[fine++];
    const auto last = std::partition(sizes.begin(), sizes.end(), [&](double s) { return fine_bucket_of(s) == fine; });
    return sorted({sizes.begin(), last});
  }

  double sorted(std::span<double> sizes) {
    std::sort(sizes.begin(), sizes.end());
    for (const double size : sizes) {
      dropped_ += size * size;
      if (dropped_ > limit_) return size;
    }
    return sizes.empty() ? high_ : sizes.back();
  }

  double limit_ = 0;
  double dropped_ = 0;  // the sum of what is smaller than low_
  double low_ = 0;      // the size is between these; high_ 0: nothing but zeros is dropped
  double high_ = 0;
  bool is_regular_ = true;  // sizes between low_ and high_ have the same first bits
};

// What decides how weights are stored.
struct WeightRange {
  bool is_finite = true;
  bool fits_floats = true;  // with full precision

  void add(double value) {
    using Limits = std::numeric_limits<float>;
    const double size = std::abs(value);
    is_finite = is_finite && std::isfinite(value);
    if (size != 0 && (size > double{Limits::max()} || size < double{Limits::min()})) fits_floats = false;
  }
  WeightPrecision precision(WeightPrecision wanted, const std::vector<double>& bias) const {
    if (!is_finite || !std::ranges::all_of(bias, [](double b) { return std::isfinite(b); })) {
      throw usage_error("the weights are beyond the range of numbers", "expected values of a usual size");
    }
    return fits_floats ? wanted : WeightPrecision::kDouble;
  }
};

bool is_narrow(std::size_t outputs) {
  return outputs <= std::numeric_limits<std::uint16_t>::max();
}

}  // namespace

SparseOutput pruned(SparseOutput weights, double prune) {
  const auto weight = [&](std::size_t k) { return weights[k].second; };
  const double least = SmallestKept(weights.size(), weight, prune).among(weights.size(), weight);
  std::erase_if(weights, [&](const auto& own) { return own.second == 0 || std::abs(own.second) < least; });
  return weights;
}

SparseOutput pruned(const std::vector<double>& weights, double prune) {
  SmallestKept search(weights.size(), [&](std::size_t k) { return weights[k]; }, prune);
  Buffer<std::int32_t> places(std::ssize(weights) + 1);
  const auto weight = [&](std::size_t k) { return weights[static_cast<std::size_t>(places[static_cast<Index>(k)])]; };
  const double at_least = search.at_least();
  std::size_t count = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    places[static_cast<Index>(count)] = static_cast<std::int32_t>(k);
    count += std::abs(weights[k]) < at_least ? 0 : 1;
  }
  const double least = search.among(count, weight);
  std::size_t kept_count = 0;
  for (std::size_t k = 0; k < count; ++k) kept_count += std::abs(weight(k)) < least ? 0 : 1;
  SparseOutput kept;
  kept.reserve(kept_count);
  for (std::size_t k = 0; k < count; ++k) {
    if (!(std::abs(weight(k)) < least)) kept.emplace_back(places[static_cast<Index>(k)], weight(k));
  }
  return kept;
}

void prune_in_place(LinearWeights& weights, double prune) {
  for (auto& w : weights.w) {
    const auto weight = [&](std::size_t k) { return w[k]; };
    const double least = SmallestKept(w.size(), weight, prune).among(w.size(), weight);
    for (double& value : w) {
      if (std::abs(value) < least) value = 0;
    }
  }
}

std::vector<SparseOutput> pruned(const LinearWeights& weights, double prune) {
  std::vector<SparseOutput> kept;
  for (const auto& w : weights.w) kept.push_back(pruned(w, prune));
  return kept;
}

void PackedWeights::Arrays::set_columns(const std::vector<FeatureIndex>& all, const std::vector<Index>& next,
                                        bool is_narrow, WeightPrecision precision) {
  const auto stored = static_cast<std::size_t>(next.back());
  if (stored > std::numeric_limits<std::uint32_t>::max()) {
    throw usage_error("a node has more than 4 billion weights", "expected a larger `prune`, or fewer features");
  }
  offsets.push_back(0);
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (next[k + 1] == next[k]) continue;
    features.push_back(all[k]);
    offsets.push_back(static_cast<std::uint32_t>(next[k + 1]));
  }
  const auto set = [&]<class T>(Buffer<T>& array) {
    array = Buffer<T>(next.back());
    prefer_large_pages(array);
  };
  is_narrow ? set(outputs16) : set(outputs32);
  precision == WeightPrecision::kFloat ? set(weights32) : set(weights64);
}

LinearOutputs PackedWeights::Arrays::outputs(bool is_narrow, WeightPrecision precision) const {
  LinearOutputs packed;
  packed.count = std::ssize(bias);
  packed.features = features;
  packed.offsets = offsets;
  if (is_narrow) {
    packed.outputs = outputs16.span();
  } else {
    packed.outputs = outputs32.span();
  }
  if (precision == WeightPrecision::kFloat) {
    packed.weights = weights32.span();
  } else {
    packed.weights = weights64.span();
  }
  packed.bias = bias;
  return packed;
}

LinearOutputs PackedWeights::pack(const std::vector<SparseOutput>& weights, const std::vector<double>& bias,
                                  const std::vector<FeatureIndex>& features, WeightPrecision precision) {
  CLADE_CHECK(bias.size() == weights.size());
  WeightRange range;
  // Finds where the weights of each column begin; then each output puts its own there.
  std::vector<Index> next(features.size() + 1, 0);
  for (const SparseOutput& output : weights) {
    for (const auto& [column, value] : output) {
      range.add(value);
      ++next[static_cast<std::size_t>(column) + 1];
    }
  }
  precision = range.precision(precision, bias);
  std::partial_sum(next.begin(), next.end(), next.begin());
  Arrays& arrays = arrays_.emplace_back();
  arrays.bias = bias;
  arrays.set_columns(features, next, is_narrow(weights.size()), precision);
  for (std::size_t o = 0; o < weights.size(); ++o) {
    for (const auto& [column, value] : weights[o]) {
      arrays.put(next[static_cast<std::size_t>(column)]++, o, value);
    }
  }
  return arrays.outputs(is_narrow(weights.size()), precision);
}

LinearOutputs PackedWeights::pack_columns(const ColumnWeights& row, const std::vector<double>& bias,
                                          const std::vector<FeatureIndex>& features, WeightPrecision precision,
                                          Context& ctx) {
  constexpr Index kColumns = 128;  // of a task
  const Index columns = std::ssize(features);
  std::vector<Index> next(features.size() + 1, 0);
  const auto see = [&](Index begin, Index end) {
    WeightRange range;
    SparseOutput weights;
    for (Index k = begin; k < end; ++k) {
      row(k, weights);
      next[static_cast<std::size_t>(k) + 1] = std::ssize(weights);
      for (const auto& [output, value] : weights) range.add(value);
    }
    return range;
  };
  const WeightRange range =
      parallel_reduce(ctx, columns, kColumns, WeightRange(), see, [](WeightRange& total, const WeightRange& part) {
        total.is_finite = total.is_finite && part.is_finite;
        total.fits_floats = total.fits_floats && part.fits_floats;
      });
  precision = range.precision(precision, bias);
  std::partial_sum(next.begin(), next.end(), next.begin());
  Arrays& arrays = arrays_.emplace_back();
  arrays.bias = bias;
  arrays.set_columns(features, next, is_narrow(bias.size()), precision);
  parallel_for(ctx, columns, kColumns, [&](Index begin, Index end) {
    SparseOutput weights;
    for (Index k = begin; k < end; ++k) {
      row(k, weights);
      Index place = next[static_cast<std::size_t>(k)];
      for (const auto& [output, value] : weights) arrays.put(place++, static_cast<std::size_t>(output), value);
    }
  });
  return arrays.outputs(is_narrow(bias.size()), precision);
}

namespace {

template <class T>
void restore(ByteReader& bytes, Buffer<T>& array) {
  const std::string_view found = bytes.bytes();
  array = Buffer<T>(static_cast<Index>(found.size() / sizeof(T)));
  if (!found.empty()) std::memcpy(array.data(), found.data(), found.size());
}

}  // namespace

void PackedWeights::put(ByteWriter& bytes, const LinearOutputs& packed) {
  bytes.put(packed.count).put(packed.features).put(packed.offsets).put(packed.bias);
  bytes.put(static_cast<std::uint8_t>(packed.outputs.index()));
  std::visit([&](const auto& array) { bytes.put(array); }, packed.outputs);
  bytes.put(static_cast<std::uint8_t>(packed.weights.index()));
  std::visit([&](const auto& array) { bytes.put(array); }, packed.weights);
}

LinearOutputs PackedWeights::restored(ByteReader& bytes) {
  const auto count = bytes.get<Index>();
  Arrays& arrays = arrays_.emplace_back();
  bytes.get(arrays.features).get(arrays.offsets).get(arrays.bias);
  const bool is_narrow = bytes.get<std::uint8_t>() == 0;
  is_narrow ? restore(bytes, arrays.outputs16) : restore(bytes, arrays.outputs32);
  const bool is_float = bytes.get<std::uint8_t>() == 0;
  is_float ? restore(bytes, arrays.weights32) : restore(bytes, arrays.weights64);
  LinearOutputs packed = arrays.outputs(is_narrow, is_float ? WeightPrecision::kFloat : WeightPrecision::kDouble);
  CLADE_CHECK(packed.count == count);
  return packed;
}

}  // namespace clade
