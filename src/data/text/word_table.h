#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace clade {

// Numbers words from 0 in order of first appearance. The bytes are kept in blocks that never move, and the hash table
// is open-addressed, so a word seen before allocates nothing.
class WordTable {
 public:
  static constexpr std::int32_t kNone = -1;

  std::int32_t size() const { return static_cast<std::int32_t>(entries_.size()); }
  std::string_view word(std::int32_t number) const {
    const Entry& entry = entries_[static_cast<std::size_t>(number)];
    return {entry.text, entry.bytes};
  }

  // The number of a word, added if it is new. Throws Error (kInput) beyond 2^31 - 1 words.
  std::int32_t intern(std::string_view word);
  // The number of a word, or kNone.
  std::int32_t find(std::string_view word) const;

 private:
  struct Entry {
    const char* text;
    std::size_t bytes;
    std::uint64_t hash;
  };

  std::size_t slot_of(std::string_view word, std::uint64_t hash) const;
  const char* keep(std::string_view word);
  void grow();

  std::vector<Entry> entries_;
  std::vector<std::int32_t> slots_;  // their number is a power of two; at most half are in use
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* free_ = nullptr;
  std::size_t free_bytes_ = 0;
  std::size_t next_block_ = 1024;
};

}  // namespace clade
