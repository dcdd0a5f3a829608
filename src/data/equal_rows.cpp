#include "data/equal_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "core/parallel.h"

namespace clade {
namespace {

constexpr Index kRowsPerChunk = 1024;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash ^= word + 0x9e3779b97f4a7c15U + (hash << 6U) + (hash >> 2U);
  return hash * 0xff51afd7ed558ccdU;
}

// Equal rows have equal hashes, whether zeros are stored or not.
std::uint64_t row_hash(const Dataset& data, Index sample) {
  std::uint64_t hash = 0;
  data.for_each_value(sample, [&](FeatureIndex feature, auto value) {
    if (value == 0) return;
    hash = mixed(mixed(hash, static_cast<std::uint64_t>(feature)),
                 std::bit_cast<std::uint64_t>(static_cast<double>(value)));
  });
  return hash;
}

bool same_row(const Dataset& data, Index a, Index b) {
  std::vector<std::pair<FeatureIndex, double>> rows[2];
  for (int k = 0; k < 2; ++k) {
    data.for_each_value(k == 0 ? a : b, [&](FeatureIndex feature, auto value) {
      if (value != 0) rows[k].emplace_back(feature, static_cast<double>(value));
    });
  }
  return std::ranges::equal(rows[0], rows[1], [](const auto& x, const auto& y) {
    return x.first == y.first && (x.second == y.second || (std::isnan(x.second) && std::isnan(y.second)));
  });
}

}  // namespace

std::vector<Index> first_equal_rows(const Dataset& data, Context& ctx) {
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(data.samples()));
  parallel_for(ctx, data.samples(), kRowsPerChunk, [&](Index begin, Index end) {
    for (Index s = begin; s < end; ++s) hashes[static_cast<std::size_t>(s)] = row_hash(data, s);
  });
  std::unordered_multimap<std::uint64_t, Index> distinct;
  distinct.reserve(hashes.size());
  std::vector<Index> first_of(hashes.size());
  for (Index s = 0; s < data.samples(); ++s) {
    const std::uint64_t hash = hashes[static_cast<std::size_t>(s)];
    const auto [first, last] = distinct.equal_range(hash);
    const auto seen = std::find_if(first, last, [&](const auto& entry) { return same_row(data, entry.second, s); });
    first_of[static_cast<std::size_t>(s)] = seen == last ? s : seen->second;
    if (seen == last) distinct.emplace(hash, s);
  }
  return first_of;
}

}  // namespace clade
