#pragma once

#include <clade/types.h>

#include <cstdint>
#include <string_view>

#include "data/text/word_counts.h"

namespace clade {

// Words as numbers, for vocabularies that are too large to keep, or whose words must not be kept.

// The hash that docs/formats/text.md defines: FNV-1a of 64 bits over the bytes, then mixed, so that its upper bits
// depend on every byte. It never changes, because models depend on it.
std::uint64_t word_hash(std::string_view word);

constexpr Index kMostHashBits = 24;

// The same counts with # and the upper `bits` bits of its hash (in hexadecimal) instead of each word. Words of equal
// number are counted together.
WordCounts hashed(const WordCounts& counts, Index bits);

}  // namespace clade
