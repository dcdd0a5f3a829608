#pragma once

#include <clade/context.h>
#include <clade/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "io/growing_bytes.h"

namespace clade {

// No zlib stream unpacks to more than this multiple of its size (deflate's own limit is 1032).
constexpr std::uint64_t kLargestInflateRatio = 1040;

// How unpacking ended.
enum class InflateStatus {
  kWhole,      // the stream ended and its checksum is right
  kMore,       // as many bytes as asked for, and the stream continues
  kTruncated,  // the stream breaks off
  kCorrupt,    // not a zlib stream, or a wrong checksum
};

// Unpacks at most `limit` bytes of a zlib stream to the end of `output`. Memory grows with what actually comes out,
// never with what a header claims.
InflateStatus inflate_to(std::string_view stream, std::uint64_t limit, GrowingBytes& output);

// Packs `size` bytes into one zlib stream, on all threads: the bytes are cut into blocks of a fixed size that are
// packed independently, so the stream is the same for any number of threads. fill(begin, end, out) writes bytes [begin,
// end) of the content; it is called from several threads.
std::string deflate_blocks(Index size, const std::function<void(Index, Index, char*)>& fill, Context& ctx);

// Packs one piece of content into a zlib stream of its own.
std::string deflate_whole(std::string_view content);

}  // namespace clade
