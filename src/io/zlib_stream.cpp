#include "io/zlib_stream.h"

#include <clade/error.h>
#include <zlib.h>

#include <algorithm>
#include <vector>

#include "core/check.h"
#include "core/parallel.h"

namespace clade {
namespace {

constexpr std::size_t kInflateStep = 1U << 20U;  // bytes of room added at a time
constexpr std::size_t kLargestCall = 1U << 30U;  // zlib counts the bytes of one call in 32 bits
constexpr Index kDeflateBlock = 1 << 20;         // large enough that the cuts cost nothing
constexpr int kDeflateLevel = 4;                 // higher levels hardly shrink numbers further, in twice the time
constexpr int kRawStream = -15;                  // window bits that leave out zlib's header and checksum
constexpr int kGzipStream = 15 + 16;             // the largest window, with gzip's header and checksum

// zlib takes its input through a pointer to non-const that it never writes through.
Bytef* as_zlib_input(std::string_view bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
}

class Inflater {
 public:
  explicit Inflater(int window_bits) {
    if (inflateInit2(&stream_, window_bits) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Unpacks from the front of `packed`, which advances, to [out, out + room). Returns zlib's status.
  int step(std::string_view& packed, char* out, std::size_t room) {
    const std::string_view piece = packed.substr(0, kLargestCall);
    stream_.next_in = as_zlib_input(piece);
    stream_.avail_in = static_cast<uInt>(piece.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    packed.remove_prefix(piece.size() - stream_.avail_in);
    written_ = room - stream_.avail_out;
    return status;
  }
  std::size_t written() const { return written_; }  // bytes, by the last step
  void begin_next_member() { inflateReset(&stream_); }
  const char* message() const { return stream_.msg; }

 private:
  z_stream stream_{};
  std::size_t written_ = 0;
};

class Deflater {
 public:
  explicit Deflater(int window_bits) {
    if (deflateInit2(&stream_, kDeflateLevel, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  // Packs all of `content` (at most kLargestCall bytes) and ends with `flush`.
  std::string pack(std::string_view content, int flush) {
    CLADE_CHECK(content.size() <= kLargestCall);
    std::string packed(deflateBound(&stream_, content.size()) + 16, '\0');
    stream_.next_in = as_zlib_input(content);
    stream_.avail_in = static_cast<uInt>(content.size());
    stream_.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream_.avail_out = static_cast<uInt>(packed.size());
    const int status = deflate(&stream_, flush);
    CLADE_CHECK(status == (flush == Z_FINISH ? Z_STREAM_END : Z_OK) && stream_.avail_in == 0);
    packed.resize(packed.size() - stream_.avail_out);
    return packed;
  }

 private:
  z_stream stream_{};
};

std::string big_endian_checksum(uLong checksum) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(checksum >> shift & 0xFFU);
  return bytes;
}

// Only padding may follow the last member of a gzip file.
bool is_padding(std::string_view rest) {
  return std::ranges::all_of(rest, [](char c) { return c == '\0'; });
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

GrowingBytes gunzip(const std::string& name, std::string_view compressed,
                    void (*check_size)(const std::string&, const GrowingBytes&), Context& ctx) {
  Inflater inflater(kGzipStream);
  GrowingBytes bytes;
  int status = Z_OK;
  while (status != Z_STREAM_END || !is_padding(compressed)) {
    ctx.check_cancelled();
    if (status == Z_STREAM_END) inflater.begin_next_member();
    status = inflater.step(compressed, bytes.reserve(kInflateStep), kInflateStep);
    bytes.added(inflater.written());
    if (status == Z_BUF_ERROR) throw input_error({.file = name}, "corrupt compressed file", "truncated gzip input");
    if (status != Z_OK && status != Z_STREAM_END) {
      const std::string reason = inflater.message() != nullptr ? inflater.message() : "expected a whole gzip stream";
      throw input_error({.file = name}, "corrupt compressed file", reason);
    }
    check_size(name, bytes);
  }
  return bytes;
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
    packed[b] = Deflater(kRawStream).pack(content, block + 1 == blocks ? Z_FINISH : Z_SYNC_FLUSH);
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
  return Deflater(MAX_WBITS).pack(content, Z_FINISH);
}

}  // namespace clade
