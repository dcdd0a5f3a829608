#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "io/parsed.h"

namespace clade {

// In front of LabelNames::intern() while a file is read: most labels repeat one that came a few lines before, and are
// then found without a hash of the whole text. The texts given must stay where they are as long as the cache lives.
class LabelCache {
 public:
  explicit LabelCache(LabelNames& names) : names_(names) {}

  // The number of a label; check() is called before a text that was not seen lately is interned, and may throw.
  template <class Check>
  std::int32_t number(std::string_view text, Index line, Check&& check) {
    Slot& slot = slots_[slot_of(text)];
    if (slot.text != text || slot.number < 0) {
      check();
      slot = {.text = text, .number = names_.intern(text, line)};
    }
    return slot.number;
  }

 private:
  static constexpr unsigned kSlotBits = 10;
  struct Slot {
    std::string_view text;
    std::int32_t number = -1;
  };

  // Depends on the length and on up to eight bytes at either end: labels of one file seldom differ elsewhere only.
  static std::size_t slot_of(std::string_view text) {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    const std::size_t size = text.size() < sizeof first ? text.size() : sizeof first;
    std::memcpy(&first, text.data(), size);
    std::memcpy(&last, text.data() + (text.size() - size), size);
    const std::uint64_t mixed = (first ^ (last * 0x9E3779B97F4A7C15U) ^ text.size()) * 0xD6E8FEB86659FD93U;
    return static_cast<std::size_t>(mixed >> (64U - kSlotBits));
  }

  LabelNames& names_;
  std::array<Slot, std::size_t{1} << kSlotBits> slots_{};
};

}  // namespace clade
