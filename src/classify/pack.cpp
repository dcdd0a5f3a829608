#include "classify/pack.h"

#include <clade/error.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <ranges>

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

void require_finite_weights(const std::vector<SparseOutput>& weights, const std::vector<double>& bias) {
  bool is_finite = std::ranges::all_of(bias, [](double b) { return std::isfinite(b); });
  for (const SparseOutput& output : weights) {
    for (const auto& [column, value] : output) is_finite = is_finite && std::isfinite(value);
  }
  if (!is_finite) throw usage_error("the weights are beyond the range of numbers", "expected values of a usual size");
}

// Can floats hold all weights with full precision?
bool fits_floats(const std::vector<SparseOutput>& weights) {
  using Limits = std::numeric_limits<float>;
  for (const SparseOutput& output : weights) {
    for (const auto& [column, value] : output) {
      const double size = std::abs(value);
      if (size != 0 && (size > double{Limits::max()} || size < double{Limits::min()})) return false;
    }
  }
  return true;
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

LinearOutputs PackedWeights::pack(const std::vector<SparseOutput>& weights, const std::vector<double>& bias,
                                  const std::vector<FeatureIndex>& features, WeightPrecision precision) {
  require_finite_weights(weights, bias);
  if (precision == WeightPrecision::kFloat && !fits_floats(weights)) precision = WeightPrecision::kDouble;
  Arrays& arrays = arrays_.emplace_back();
  const bool is_narrow = weights.size() <= std::numeric_limits<std::uint16_t>::max();
  // Finds where the weights of each column begin; then each output puts its own there.
  std::vector<Index> next(features.size() + 1, 0);
  for (const SparseOutput& output : weights) {
    for (const auto& [column, value] : output) ++next[static_cast<std::size_t>(column) + 1];
  }
  arrays.offsets.push_back(0);
  for (std::size_t k = 0; k < features.size(); ++k) {
    const Index count = next[k + 1];
    next[k + 1] += next[k];
    if (count == 0) continue;
    arrays.features.push_back(features[k]);
    arrays.offsets.push_back(static_cast<std::uint32_t>(next[k + 1]));
  }
  const auto stored = static_cast<std::size_t>(next.back());
  if (stored > std::numeric_limits<std::uint32_t>::max()) {
    throw usage_error("a node has more than 4 billion weights", "expected a larger `prune`, or fewer features");
  }
  is_narrow ? arrays.outputs16.resize(stored) : arrays.outputs32.resize(stored);
  precision == WeightPrecision::kFloat ? arrays.weights32.resize(stored) : arrays.weights64.resize(stored);
  for (std::size_t o = 0; o < weights.size(); ++o) {
    for (const auto& [column, value] : weights[o]) {
      const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(column)]++);
      if (is_narrow) {
        arrays.outputs16[place] = static_cast<std::uint16_t>(o);
      } else {
        arrays.outputs32[place] = static_cast<std::uint32_t>(o);
      }
      if (precision == WeightPrecision::kFloat) {
        arrays.weights32[place] = static_cast<float>(value);
      } else {
        arrays.weights64[place] = value;
      }
    }
  }
  arrays.bias = bias;

  LinearOutputs packed;
  packed.count = std::ssize(weights);
  packed.features = arrays.features;
  packed.offsets = arrays.offsets;
  if (is_narrow) {
    packed.outputs = std::span<const std::uint16_t>(arrays.outputs16);
  } else {
    packed.outputs = std::span<const std::uint32_t>(arrays.outputs32);
  }
  if (precision == WeightPrecision::kFloat) {
    packed.weights = std::span<const float>(arrays.weights32);
  } else {
    packed.weights = std::span<const double>(arrays.weights64);
  }
  packed.bias = arrays.bias;
  return packed;
}

}  // namespace clade
