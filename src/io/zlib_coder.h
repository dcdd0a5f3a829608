#pragma once

#include <zlib.h>

#include <cstddef>
#include <new>
#include <string>
#include <string_view>

#include "core/check.h"

// zlib's coders as classes; for the sources that know zlib.

namespace clade {

constexpr std::size_t kLargestZlibCall = 1U << 30U;  // zlib counts the bytes of one call in 32 bits
constexpr int kRawStream = -15;                      // window bits that leave out zlib's header and checksum
constexpr int kGzipStream = 15 + 16;                 // the largest window, with gzip's header and checksum

// zlib takes its input through a pointer to non-const that it never writes through.
inline Bytef* as_zlib_input(std::string_view bytes) {
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
    const std::string_view piece = packed.substr(0, kLargestZlibCall);
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
  Deflater(int window_bits, int level) {
    if (deflateInit2(&stream_, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  // Packs all of `content` (at most kLargestZlibCall bytes) and ends with `flush`.
  std::string pack(std::string_view content, int flush) {
    CLADE_CHECK(content.size() <= kLargestZlibCall);
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
  void begin_next_stream() { deflateReset(&stream_); }

 private:
  z_stream stream_{};
};

}  // namespace clade
