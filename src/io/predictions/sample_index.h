#pragma once

#include <clade/dataset.h>
#include <clade/error.h>
#include <clade/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/fetch_ahead.h"

namespace clade {

// Numbers names 0, 1, ... in the order in which they came. Uses one block of text and one table of eight bytes per
// slot, so that a million names need no allocation each; memory is linear in the text of the names.
class NameTable {
 public:
  // `expected` is roughly how many names will come.
  explicit NameTable(Index expected = 0);

  Index size() const { return static_cast<Index>(ends_.size()) - 1; }
  std::string_view name(Index number) const {
    const auto n = static_cast<std::size_t>(number);
    return {text_.data() + ends_[n], ends_[n + 1] - ends_[n]};
  }
  // The number of a name, or -1.
  Index find(std::string_view name) const { return slots_[slot_of(name, hash_of(name))].number; }
  // The number of a name, which is added if it is new; size() tells.
  Index add(std::string_view name);
  // Prefetches what add() and find() will need: a table of many names does not fit the caches, and a few misses at once
  // take no longer than one.
  void prefetch(std::string_view name) const { fetch_ahead(&slots_[hash_of(name) & (slots_.size() - 1)]); }

 private:
  struct Slot {
    std::uint32_t tag = 0;  // upper half of the hash: rules out most other names without reading their text
    std::int32_t number = -1;
  };

  static std::uint64_t hash_of(std::string_view name);
  // The slot of the name, or the empty slot where it belongs.
  std::size_t slot_of(std::string_view name, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    const auto tag = static_cast<std::uint32_t>(hash >> 32U);
    std::size_t at = static_cast<std::size_t>(hash) & mask;
    while (slots_[at].number >= 0 && (slots_[at].tag != tag || this->name(slots_[at].number) != name)) {
      at = (at + 1) & mask;
    }
    return at;
  }
  void resize(std::size_t slots);

  std::string text_;
  std::vector<std::size_t> ends_{0};  // name k is text_[ends_[k], ends_[k + 1])
  std::vector<Slot> slots_;           // a power of two, at most half full
};

// The sample of a data set that a text means: the one of that name if samples have names, else the one of that 0-based
// number. The numbers of a view are those of the whole data, as Dataset::sample_name gives them.
class SampleIndex {
 public:
  // Throws Error at `where` if two samples have the same name. `data` must outlive the index.
  SampleIndex(const Dataset& data, const Where& where);

  // The sample, or -1. `before` is that of the previous row, or -1: rows mostly come in order, and then nothing is
  // looked up.
  Index find(std::string_view text, Index before) const { return named_ ? find_name(text, before) : find_number(text); }
  // The Error for a text that names no sample.
  Error unknown(std::string_view text, const Where& where) const;

 private:
  void add_names(const Where& where);
  std::string expected() const;
  Index find_name(std::string_view text, Index before) const;
  Index find_number(std::string_view text) const;

  const Dataset& data_;
  bool named_;
  NameTable names_;
  Index rows_ = 0;                // of the whole data, as its file has them
  std::vector<Index> sample_of_;  // by such a row, -1: left out, or not in the view; empty: all rows in order
};

// Throws Error at `where` if two samples have the same name, as SampleIndex does.
void require_own_names(const Dataset& data, const Where& where);

// A whole number written only in decimal digits; -1 if the text is anything else, or above `largest`.
inline Index parse_digits(std::string_view text, Index largest) {
  constexpr std::size_t kMostDigits = 18;  // always fit
  if (text.empty() || text.size() > kMostDigits) return -1;
  Index number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return -1;
    number = 10 * number + (c - '0');
  }
  return number <= largest ? number : -1;
}

}  // namespace clade
