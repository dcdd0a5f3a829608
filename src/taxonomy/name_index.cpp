#include "taxonomy/name_index.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "core/fetch_ahead.h"

namespace clade {
namespace {

std::uint64_t hash_of(std::string_view name) {
  return std::hash<std::string_view>()(name);
}

std::uint32_t high_half(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 32U);
}

}  // namespace

NodeId NameIndex::build(const std::vector<std::string>& names) {
  slots_.assign(std::bit_ceil(2 * names.size() + 1), Slot{});
  const std::size_t mask = slots_.size() - 1;
  // Some names at a time: the memory for their slots is on its way while the next ones are hashed.
  constexpr std::size_t kTogether = 16;
  std::array<std::uint64_t, kTogether> hashes{};
  for (std::size_t begin = 0; begin < names.size(); begin += kTogether) {
    const std::size_t count = std::min(kTogether, names.size() - begin);
    for (std::size_t k = 0; k < count; ++k) {
      hashes[k] = hash_of(names[begin + k]);
      fetch_ahead_to_write(&slots_[hashes[k] & mask]);
    }
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t hash = high_half(hashes[k]);
      const std::string& name = names[begin + k];
      std::size_t at = hashes[k] & mask;
      for (; slots_[at].node != kNoNode; at = (at + 1) & mask) {
        if (slots_[at].hash == hash && names[static_cast<std::size_t>(slots_[at].node)] == name) {
          return static_cast<NodeId>(begin + k);
        }
      }
      slots_[at] = {hash, static_cast<NodeId>(begin + k)};
    }
  }
  return kNoNode;
}

NodeId NameIndex::find(std::string_view name, const std::vector<std::string>& names) const {
  const std::uint64_t hash = hash_of(name);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask; slots_[at].node != kNoNode; at = (at + 1) & mask) {
    if (slots_[at].hash == high_half(hash) && names[static_cast<std::size_t>(slots_[at].node)] == name) {
      return slots_[at].node;
    }
  }
  return kNoNode;
}

}  // namespace clade
