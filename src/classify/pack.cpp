#include "classify/pack.h"

#include <clade/error.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <ranges>

#include "core/check.h"
#include "core/parallel.h"

namespace clade {
namespace {

// Weights below this size are dropped: together they make up at most `share` of the sum of squares. Sizes are counted
// in buckets of an eighth of an octave, down to 64 octaves below the largest; only the bucket in which the share is
// reached has to be sorted.
template <class Weights>
double smallest_kept(const Weights& weights, double share) {
  if (share == 0) return 0;
  constexpr int kShift = 49;  // leaves the exponent and three bits of the fraction
  constexpr std::int64_t kBuckets = 512;
  const auto key_of = [](double size) {
    return static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(size) >> kShift);
  };
  double largest = 0;
  for (const double weight : weights) largest = std::max(largest, std::abs(weight));
  const std::int64_t lowest = key_of(largest) - kBuckets + 1;
  const auto bucket_of = [&](double size) {
    return static_cast<std::size_t>(std::clamp<std::int64_t>(key_of(size) - lowest, 0, kBuckets - 1));
  };
  std::vector<double> squares(static_cast<std::size_t>(kBuckets), 0);
  for (const double weight : weights) squares[bucket_of(std::abs(weight))] += weight * weight;
  const double total = std::accumulate(squares.begin(), squares.end(), 0.0);
  if (!std::isfinite(total)) return 0;
  double dropped = 0;
  for (std::size_t bucket = 0; bucket < squares.size(); ++bucket) {
    if (dropped + squares[bucket] <= share * total) {
      dropped += squares[bucket];
      continue;
    }
    std::vector<double> sizes;
    for (const double weight : weights) {
      if (bucket_of(std::abs(weight)) == bucket) sizes.push_back(std::abs(weight));
    }
    std::sort(sizes.begin(), sizes.end());
    for (const double size : sizes) {
      dropped += size * size;
      if (dropped > share * total) return size;
    }
  }
  return 0;
}

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
  const double least = smallest_kept(std::views::values(weights), prune);
  std::erase_if(weights, [&](const auto& weight) { return weight.second == 0 || std::abs(weight.second) < least; });
  return weights;
}

SparseOutput pruned(const std::vector<double>& weights, double prune) {
  const double least = smallest_kept(weights, prune);
  // Which ones stay is not to be foreseen: they are written without a branch, and then cut to what they need.
  SparseOutput kept(weights.size());
  std::size_t count = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    kept[count] = {static_cast<std::int32_t>(k), weights[k]};
    const bool is_dropped = weights[k] == 0 || std::abs(weights[k]) < least;
    count += is_dropped ? 0 : 1;
  }
  return {kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(count)};
}

void prune_in_place(LinearWeights& weights, double prune) {
  for (auto& w : weights.w) {
    const double least = smallest_kept(w, prune);
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
  is_narrow ? outputs16.resize(stored) : outputs32.resize(stored);
  precision == WeightPrecision::kFloat ? weights32.resize(stored) : weights64.resize(stored);
}

LinearOutputs PackedWeights::Arrays::outputs(bool is_narrow, WeightPrecision precision) const {
  LinearOutputs packed;
  packed.count = std::ssize(bias);
  packed.features = features;
  packed.offsets = offsets;
  if (is_narrow) {
    packed.outputs = std::span<const std::uint16_t>(outputs16);
  } else {
    packed.outputs = std::span<const std::uint32_t>(outputs32);
  }
  if (precision == WeightPrecision::kFloat) {
    packed.weights = std::span<const float>(weights32);
  } else {
    packed.weights = std::span<const double>(weights64);
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
      arrays.put(static_cast<std::size_t>(next[static_cast<std::size_t>(column)]++), o, value);
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
      auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(k)]);
      for (const auto& [output, value] : weights) arrays.put(place++, static_cast<std::size_t>(output), value);
    }
  });
  return arrays.outputs(is_narrow(bias.size()), precision);
}

}  // namespace clade
