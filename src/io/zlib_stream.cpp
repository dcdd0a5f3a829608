#include "io/zlib_stream.h"

#include <algorithm>
#include <vector>

#include "core/parallel.h"
#include "io/zlib_coder.h"

namespace clade {
namespace {

constexpr std::size_t kInflateStep = 1U << 20U;  // bytes of room added at a time
constexpr Index kDeflateBlock = 1 << 20;         // large enough that the cuts cost nothing
constexpr int kDeflateLevel = 4;                 // higher levels hardly shrink numbers further, in twice the time

std::string big_endian_checksum(uLong checksum) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(checksum >> shift & 0xFFU);
  return bytes;
}

}  // namespace

InflateStatus inflate_to(std::string_view stream, std::uint64_t limit, GrowingBytes& output) {
  Inflater inflater(MAX_WBITS);
  const std::size_t start = output.size();
  for (;;) {
    const std::uint64_t wanted = limit - (output.size() - start);
    // At the limit, one more byte shows whether the stream ends there.
    char extra = 0;
    char* room = &extra;
    std::size_t space = 1;
    if (wanted > 0) {
      space = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, kInflateStep));
      room = output.reserve(space);
    }
    const int status = inflater.step(stream, room, space);
    if (wanted == 0 && inflater.written() > 0) return InflateStatus::kMore;
    output.added(wanted > 0 ? inflater.written() : 0);
    if (status == Z_STREAM_END) return InflateStatus::kWhole;
    if (status != Z_OK && status != Z_BUF_ERROR) return InflateStatus::kCorrupt;
    if (stream.empty() && inflater.written() < space) return InflateStatus::kTruncated;
  }
}

std::string deflate_blocks(Index size, const std::function<void(Index, Index, char*)>& fill, Context& ctx) {
  const Index blocks = std::max<Index>(1, chunk_count(size, kDeflateBlock));
  std::vector<std::string> packed(static_cast<std::size_t>(blocks));
  std::vector<uLong> checksum(packed.size());
  parallel_for(ctx, blocks, 1, [&](Index block, Index) {
    const Index begin = block * kDeflateBlock;
    const Index end = std::min(size, begin + kDeflateBlock);
    std::string content(static_cast<std::size_t>(end - begin), '\0');
    fill(begin, end, content.data());
    const auto b = static_cast<std::size_t>(block);
    packed[b] = Deflater(kRawStream, kDeflateLevel).pack(content, block + 1 == blocks ? Z_FINISH : Z_SYNC_FLUSH);
    checksum[b] = adler32_z(1, as_zlib_input(content), content.size());
  });
  std::string stream("\x78\x5e", 2);  // zlib's header: deflate, 32 kB window, fast
  uLong total = checksum[0];
  for (std::size_t b = 0; b < packed.size(); ++b) {
    const Index end = std::min(size, (static_cast<Index>(b) + 1) * kDeflateBlock);
    if (b > 0) total = adler32_combine(total, checksum[b], end - static_cast<Index>(b) * kDeflateBlock);
    stream += packed[b];
    packed[b] = {};
  }
  return stream + big_endian_checksum(total);
}

std::string deflate_whole(std::string_view content) {
  return Deflater(MAX_WBITS, kDeflateLevel).pack(content, Z_FINISH);
}

}  // namespace clade
