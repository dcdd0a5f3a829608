#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "io/parsed.h"

namespace clade {

// A cache in front of LabelNames::intern() while a file is read: most labels repeat one from a few lines before, and
// are then found without hashing the whole text. The texts given must stay in place as long as the cache lives.
class LabelCache {
 public:
  // `rows` is roughly how many will come: few need no large cache.
  LabelCache(LabelNames& names, Index rows)
      : names_(names), slots_(std::bit_ceil(static_cast<std::size_t>(std::clamp<Index>(rows, kLeast, kMost)))) {}

  // The number of a label. check() is called before a text that was not seen recently is interned, and may throw.
  template <class Check>
  std::int32_t number(std::string_view text, Index line, Check&& check) {
    const Key key = key_of(text);
    Slot& slot = slots_[key.mixed() & (slots_.size() - 1)];
    if (slot.number < 0 || slot.key != key || (text.size() > kWhole && slot.text != text)) {
      check();
      slot = {.key = key, .text = text, .number = names_.intern(text, line)};
    }
    return slot.number;
  }

 private:
  static constexpr Index kLeast = 16;
  static constexpr Index kMost = 4096;

  // The length and up to eight bytes at either end. Texts of at most kWhole bytes are equal if their keys are.
  static constexpr std::size_t kWhole = 16;
  struct Key {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t size = 0;

    bool operator==(const Key&) const = default;
    std::uint64_t mixed() const {
      const std::uint64_t product = (first ^ (last * 0x9E3779B97F4A7C15U) ^ size) * 0xD6E8FEB86659FD93U;
      return product >> 32U;
    }
  };
  struct Slot {
    Key key;
    std::string_view text;
    std::int32_t number = -1;
  };

  template <class Word>
  static std::uint64_t load(const char* bytes) {
    Word word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
  }

  static Key key_of(std::string_view text) {
    const char* begin = text.data();
    const std::size_t size = text.size();
    if (size >= 8) return {load<std::uint64_t>(begin), load<std::uint64_t>(begin + size - 8), size};
    if (size >= 4) return {load<std::uint32_t>(begin), load<std::uint32_t>(begin + size - 4), size};
    if (size == 0) return {};
    const std::uint64_t ends = load<std::uint8_t>(begin) | (load<std::uint8_t>(begin + size - 1) << 8U);
    return {ends, load<std::uint8_t>(begin + size / 2), size};
  }

  LabelNames& names_;
  std::vector<Slot> slots_;
};

}  // namespace clade
