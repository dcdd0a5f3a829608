#include "io/gunzip.h"

#include <clade/context.h>
#include <clade/error.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace clade {
namespace {

constexpr std::size_t kBlock = 1U << 20U;
constexpr int kGzipWindow = 15 + 16;  // the largest window, with gzip's header and checksum

class Inflater {
 public:
  Inflater() {
    if (::inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { ::inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
};

// Only padding may follow the last member.
bool is_padding(std::string_view rest) {
  return std::ranges::all_of(rest, [](char c) { return c == '\0'; });
}

}  // namespace

GrowingBytes gunzip(const std::string& name, std::string_view compressed,
                    void (*check_size)(const std::string&, const GrowingBytes&), Context& ctx) {
  Inflater inflater;
  z_stream& stream = inflater.stream();
  GrowingBytes bytes;
  int status = Z_OK;
  while (status != Z_STREAM_END || !is_padding(compressed)) {
    ctx.check_cancelled();
    if (status == Z_STREAM_END) ::inflateReset(&stream);
    const std::size_t given = std::min<std::size_t>(compressed.size(), std::numeric_limits<uInt>::max());
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
    stream.avail_in = static_cast<uInt>(given);
    stream.next_out = reinterpret_cast<Bytef*>(bytes.reserve(kBlock));
    stream.avail_out = static_cast<uInt>(kBlock);
    status = ::inflate(&stream, Z_NO_FLUSH);
    compressed.remove_prefix(given - stream.avail_in);
    bytes.added(kBlock - stream.avail_out);
    if (status == Z_BUF_ERROR) throw input_error({.file = name}, "corrupt compressed file", "truncated gzip input");
    if (status != Z_OK && status != Z_STREAM_END) {
      const std::string reason = stream.msg != nullptr ? stream.msg : "expected a whole gzip stream";
      throw input_error({.file = name}, "corrupt compressed file", reason);
    }
    check_size(name, bytes);
  }
  return bytes;
}

}  // namespace clade
