#include "io/compress.h"

#include <archive.h>
#include <archive_entry.h>
#include <zstd.h>

#include <vector>

#include "core/check.h"
#include "core/thread_pool.h"
#include "io/archive.h"
#include "io/zlib_coder.h"

namespace clade {
namespace {

// xz and bzip2, through libarchive.
class ArchiveSink : public CompressingSink {
 public:
  using AddFilter = int (*)(archive*);

  ArchiveSink(std::string path, Sink& target, AddFilter add_filter) : writer_(std::move(path), target) {
    writer_.check(archive_write_set_format_raw(writer_.handle()));
    writer_.check(add_filter(writer_.handle()));
    // By default the end is padded to a tape block.
    writer_.check(archive_write_set_bytes_in_last_block(writer_.handle(), 1));
    writer_.open();
    const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(), archive_entry_free);
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    writer_.begin_member(entry.get());
  }

  void write(std::string_view bytes) override { writer_.write(bytes); }
  void finish() override { writer_.close(); }

 private:
  ArchiveWriter writer_;
};

// Cuts the content into pieces of a fixed size that are packed by themselves, so that several threads can pack them now
// and unpack them later. The bytes are the same for any number of threads.
class PieceSink : public CompressingSink {
 public:
  void write(std::string_view bytes) override {
    is_empty_ = is_empty_ && bytes.empty();
    while (!bytes.empty()) {
      const std::string_view part = bytes.substr(0, at_once_ * piece_bytes_ - content_.size());
      content_ += part;
      bytes.remove_prefix(part.size());
      if (content_.size() == at_once_ * piece_bytes_) flush();
    }
  }
  void finish() override {
    flush();
    target_.write(end(is_empty_));
  }

 protected:
  PieceSink(Sink& target, Context* ctx, std::size_t piece_bytes, std::size_t at_once)
      : target_(target), ctx_(ctx), piece_bytes_(piece_bytes), at_once_(at_once) {}
  virtual std::string packed(std::string_view piece) const = 0;
  // What comes after the pieces, and is all there is of empty content.
  virtual std::string end(bool is_empty) const = 0;

 private:
  void flush() {
    std::vector<std::string> results((content_.size() + piece_bytes_ - 1) / piece_bytes_);
    const auto pack = [&](Index k) {
      const auto piece = static_cast<std::size_t>(k);
      results[piece] = packed(std::string_view(content_).substr(piece * piece_bytes_, piece_bytes_));
    };
    if (ctx_ != nullptr) {
      ctx_->pool().run(std::ssize(results), pack);
    } else {
      for (Index k = 0; k < std::ssize(results); ++k) pack(k);
    }
    for (const std::string& result : results) target_.write(result);
    content_.clear();
  }

  Sink& target_;
  Context* ctx_;
  std::size_t piece_bytes_;
  std::size_t at_once_;  // pieces
  std::string content_;
  bool is_empty_ = true;
};

std::string little_endian(std::size_t value, int bytes) {
  std::string text;
  for (int k = 0; k < bytes; ++k) text += static_cast<char>(value >> (8 * static_cast<unsigned>(k)) & 0xFFU);
  return text;
}

// gzip in the blocks of BGZF: members of at most 64 KiB that state their packed size, and an empty one at the end. No
// time in the headers, so that the same content gives the same bytes.
class GzipSink : public PieceSink {
 public:
  GzipSink(Sink& target, Context* ctx) : PieceSink(target, ctx, kContent, 256) {}

 private:
  static constexpr std::size_t kContent = 0xFF00;  // leaves room for the frame around what cannot be packed
  static constexpr std::string_view kHead = {"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0", 16};
  static constexpr std::string_view kEmptyBlock = {
      "\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0", 28};

  std::string packed(std::string_view piece) const override {
    constexpr std::size_t kFrame = 26;  // head, size, checksum, length
    constexpr std::size_t kLargest = 1U << 16U;
    std::string deflated = Deflater(kRawStream, Z_DEFAULT_COMPRESSION).pack(piece, Z_FINISH);
    if (deflated.size() + kFrame > kLargest) deflated = Deflater(kRawStream, 0).pack(piece, Z_FINISH);
    CLADE_CHECK(deflated.size() + kFrame <= kLargest);
    const uLong checksum = crc32_z(0, as_zlib_input(piece), piece.size());
    return std::string(kHead) + little_endian(deflated.size() + kFrame - 1, 2) + deflated + little_endian(checksum, 4) +
           little_endian(piece.size(), 4);
  }
  std::string end(bool) const override { return std::string(kEmptyBlock); }
};

// Zstandard in frames that state their size and have a checksum.
class ZstdSink : public PieceSink {
 public:
  ZstdSink(Sink& target, Context* ctx) : PieceSink(target, ctx, kContent, 16) {}

 private:
  static constexpr std::size_t kContent = std::size_t{2} << 20U;  // the window, so that cuts cost little

  std::string packed(std::string_view piece) const override {
    const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> coder(ZSTD_createCCtx(), ZSTD_freeCCtx);
    if (coder == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(coder.get(), ZSTD_c_checksumFlag, 1);
    std::string result(ZSTD_compressBound(piece.size()), '\0');
    const std::size_t size = ZSTD_compress2(coder.get(), result.data(), result.size(), piece.data(), piece.size());
    CLADE_CHECK(ZSTD_isError(size) == 0U);
    result.resize(size);
    return result;
  }
  std::string end(bool is_empty) const override { return is_empty ? packed({}) : std::string(); }
};

}  // namespace

std::unique_ptr<CompressingSink> compressing_sink(const std::string& path, Sink& target, Context* ctx) {
  if (path.ends_with(".gz")) return std::make_unique<GzipSink>(target, ctx);
  if (path.ends_with(".zst")) return std::make_unique<ZstdSink>(target, ctx);
  if (path.ends_with(".xz")) return std::make_unique<ArchiveSink>(path, target, archive_write_add_filter_xz);
  if (path.ends_with(".bz2")) return std::make_unique<ArchiveSink>(path, target, archive_write_add_filter_bzip2);
  return nullptr;
}

}  // namespace clade
