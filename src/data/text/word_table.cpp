#include "data/text/word_table.h"

#include <clade/error.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace clade {
namespace {

constexpr std::size_t kLargestBlock = 1U << 18U;
constexpr std::size_t kFirstSlots = 64;

std::uint64_t load(const char* bytes, std::size_t count) {
  std::uint64_t value = 0;
  if (count > 0) std::memcpy(&value, bytes, count);  // an empty word may have no bytes to point to
  return value;
}

// Multiply and fold: both halves of the 128-bit product, so that every input bit reaches the low bits.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

std::uint64_t hash_of(std::string_view word) {
  constexpr std::uint64_t kFirst = 0x9E3779B97F4A7C15ULL;  // odd, with random-looking bits: the golden ratio
  constexpr std::uint64_t kSecond = 0xD1B54A32D192ED03ULL;
  std::uint64_t hash = kFirst ^ word.size();
  const char* bytes = word.data();
  std::size_t left = word.size();
  for (; left > 8; left -= 8, bytes += 8) hash = mix(hash ^ load(bytes, 8), kSecond);
  return mix(hash ^ load(bytes, left), kFirst);
}

}  // namespace

std::size_t WordTable::slot_of(std::string_view word, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const std::int32_t number = slots_[slot];
    if (number == kNone) return slot;
    const Entry& entry = entries_[static_cast<std::size_t>(number)];
    if (entry.hash == hash && std::string_view(entry.text, entry.bytes) == word) return slot;
  }
}

std::int32_t WordTable::find(std::string_view word) const {
  return slots_.empty() ? kNone : slots_[slot_of(word, hash_of(word))];
}

std::int32_t WordTable::intern(std::string_view word) {
  if (entries_.size() * 2 >= slots_.size()) grow();
  const std::uint64_t hash = hash_of(word);
  const std::size_t slot = slot_of(word, hash);
  if (slots_[slot] != kNone) return slots_[slot];
  if (entries_.size() == std::numeric_limits<std::int32_t>::max()) {
    throw usage_error("more than 2147483647 different words");
  }
  slots_[slot] = size();
  entries_.push_back({keep(word), word.size(), hash});
  return slots_[slot];
}

const char* WordTable::keep(std::string_view word) {
  if (word.size() > free_bytes_) {
    free_bytes_ = std::max(next_block_, word.size());
    next_block_ = std::min(next_block_ * 2, kLargestBlock);
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(free_bytes_));
    free_ = blocks_.back().get();
  }
  char* place = free_;
  std::ranges::copy(word, place);
  free_ += word.size();
  free_bytes_ -= word.size();
  return place;
}

void WordTable::grow() {
  slots_.assign(std::max(kFirstSlots, slots_.size() * 2), kNone);
  const std::size_t mask = slots_.size() - 1;
  for (std::int32_t number = 0; number < size(); ++number) {
    std::size_t slot = entries_[static_cast<std::size_t>(number)].hash & mask;
    while (slots_[slot] != kNone) slot = (slot + 1) & mask;
    slots_[slot] = number;
  }
}

}  // namespace clade
