#include "data/text/hashing.h"

#include <fmt/format.h>

namespace clade {

std::uint64_t word_hash(std::string_view word) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : word) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001B3ULL;
  }
  // The finaliser of SplitMix64.
  hash = (hash ^ (hash >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  hash = (hash ^ (hash >> 27U)) * 0x94D049BB133111EBULL;
  return hash ^ (hash >> 31U);
}

WordCounts hashed(const WordCounts& counts, Index bits) {
  const auto digits = static_cast<std::size_t>((bits + 3) / 4);
  WordCounts result;
  std::vector<std::int32_t> number(static_cast<std::size_t>(counts.words.size()));
  for (std::int32_t word = 0; word < counts.words.size(); ++word) {
    const std::uint64_t bucket = word_hash(counts.words.word(word)) >> static_cast<unsigned>(64 - bits);
    number[static_cast<std::size_t>(word)] = result.words.intern(fmt::format("#{:0{}x}", bucket, digits));
  }
  result.document_frequency.assign(static_cast<std::size_t>(result.words.size()), 0);
  std::vector<std::size_t> latest(result.document_frequency.size(), 0);  // one past its latest entry
  for (Index document = 0; document < counts.documents(); ++document) {
    const std::size_t begin = result.counts.size();
    for (const WordCount entry : counts.of(document)) {
      const std::int32_t word = number[static_cast<std::size_t>(entry.word)];
      std::size_t& place = latest[static_cast<std::size_t>(word)];
      if (place > begin) {
        result.counts[place - 1].count += entry.count;
        continue;
      }
      result.counts.push_back({word, entry.count});
      place = result.counts.size();
      ++result.document_frequency[static_cast<std::size_t>(word)];
    }
    result.ends.push_back(result.counts.size());
  }
  result.numbers = counts.numbers;
  return result;
}

}  // namespace clade
