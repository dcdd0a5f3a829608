#include "select/ranking.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

namespace clade {
namespace {

struct Keyed {
  std::uint64_t key;
  FeatureIndex feature;
};

// Larger values get smaller keys, and equal ones the same. What is not a number counts as the smallest value.
std::uint64_t descending_key(double value) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  if (std::isnan(value)) value = -std::numeric_limits<double>::infinity();
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // zero has one sign
  return (bits & kSign) != 0 ? bits : ~(bits | kSign);
}

// Sorts features by value, largest first; those of equal values stay in their order. By one byte of the keys after
// another: comparisons, most of which nobody can foresee, take five times as long.
void sort_stably(std::span<const double> values, std::vector<FeatureIndex>& features) {
  constexpr int kBits = 8;
  constexpr std::size_t kBytes = sizeof(std::uint64_t);
  std::vector<Keyed> sorted;
  sorted.reserve(features.size());
  std::array<std::array<std::size_t, 1 << kBits>, kBytes> counts{};
  const auto byte_of = [](std::uint64_t key, std::size_t byte) { return (key >> (kBits * byte)) & 0xFF; };
  for (const FeatureIndex f : features) {
    sorted.push_back({descending_key(values[static_cast<std::size_t>(f)]), f});
    for (std::size_t byte = 0; byte < kBytes; ++byte) ++counts[byte][byte_of(sorted.back().key, byte)];
  }
  std::vector<Keyed> next(sorted.size());
  for (std::size_t byte = 0; byte < kBytes; ++byte) {
    auto& places = counts[byte];
    if (std::ranges::count(places, std::size_t{0}) == std::ssize(places) - 1) continue;  // the same byte everywhere
    std::exclusive_scan(places.begin(), places.end(), places.begin(), std::size_t{0});
    for (const Keyed& one : sorted) next[places[byte_of(one.key, byte)]++] = one;
    sorted.swap(next);
  }
  std::ranges::transform(sorted, features.begin(), &Keyed::feature);
}

NodeRanking unsorted(const NodeTable& table, std::size_t features) {
  NodeRanking result;
  result.node = table.node;
  result.samples = table.samples();
  result.children = table.classes();
  result.ranking.resize(features);
  std::iota(result.ranking.begin(), result.ranking.end(), 0);
  return result;
}

void sort_by_weight(std::span<const double> weights, NodeRanking& result) {
  sort_stably(weights, result.ranking);
  result.weight.reserve(weights.size());
  for (const FeatureIndex f : result.ranking) result.weight.push_back(weights[static_cast<std::size_t>(f)]);
}

}  // namespace

NodeRanking rank_features(const NodeTable& table, std::span<const double> weights) {
  NodeRanking result = unsorted(table, weights.size());
  sort_by_weight(weights, result);
  return result;
}

NodeRanking rank_features(const NodeTable& table, std::span<const double> weights, std::span<const double> second) {
  NodeRanking result = unsorted(table, weights.size());
  sort_stably(second, result.ranking);
  sort_by_weight(weights, result);
  return result;
}

}  // namespace clade
