#include "io/predictions/name_table.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "core/check.h"

namespace clade {
namespace {

constexpr std::size_t kFewestSlots = 16;

template <class Word>
std::uint64_t load(const char* bytes) {
  Word word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// Multiplication carries differences upwards, the shift brings them down again.
std::uint64_t mixed(std::uint64_t bits) {
  bits *= 0x9E3779B97F4A7C15U;
  return bits ^ (bits >> 32U);
}

std::uint64_t last_bytes(const char* bytes, std::size_t count) {
  if (count >= 4) return load<std::uint32_t>(bytes) | load<std::uint32_t>(bytes + count - 4) << 32U;
  return load<std::uint8_t>(bytes) | load<std::uint8_t>(bytes + count / 2) << 8U |
         load<std::uint8_t>(bytes + count - 1) << 16U;
}

}  // namespace

NameTable::NameTable(Index expected) {
  ends_.reserve(static_cast<std::size_t>(expected) + 1);
  resize(std::max(kFewestSlots, std::bit_ceil(2 * static_cast<std::size_t>(expected))));
}

std::uint64_t NameTable::hash_of(std::string_view name) {
  const char* bytes = name.data();
  std::size_t left = name.size();
  std::uint64_t hash = left;
  for (; left >= 8; left -= 8, bytes += 8) hash = mixed(hash ^ load<std::uint64_t>(bytes));
  if (left > 0) hash = mixed(hash ^ last_bytes(bytes, left));
  return mixed(hash);
}

void NameTable::resize(std::size_t slots) {
  slots_.assign(slots, {});
  for (Index number = 0; number < size(); ++number) {
    const std::uint64_t hash = hash_of(name(number));
    slots_[slot_of(name(number), hash)] = {.tag = static_cast<std::uint32_t>(hash >> 32U),
                                           .number = static_cast<std::int32_t>(number)};
  }
}

Index NameTable::add(std::string_view name) {
  const std::uint64_t hash = hash_of(name);
  std::size_t at = slot_of(name, hash);
  if (slots_[at].number >= 0) return slots_[at].number;
  CLADE_CHECK(size() < std::numeric_limits<std::int32_t>::max());
  if (2 * (ends_.size()) > slots_.size()) {
    resize(2 * slots_.size());
    at = slot_of(name, hash);
  }
  slots_[at] = {.tag = static_cast<std::uint32_t>(hash >> 32U), .number = static_cast<std::int32_t>(size())};
  text_ += name;
  ends_.push_back(text_.size());
  return size() - 1;
}

}  // namespace clade
