#include <lzma.h>

#include "io/archive.h"
#include "io/unpack/formats.h"

namespace clade {
namespace {

class ArchiveUnpacker : public Unpacker {
 public:
  ArchiveUnpacker(const std::string& name, std::string_view compressed, std::size_t skipped)
      : reader_(ArchiveReader::Kind::kStream, [name](const std::string& reason) { return corrupt_file(name, reason); }),
        skipped_(skipped) {
    reader_.open_memory(compressed);
    if (reader_.next() == nullptr) throw corrupt_file(name, "expected a whole .gz, .xz, .zst or .bz2 stream");
  }

  Index begin_round() override { return at_end_ ? 0 : 1; }
  std::size_t room() const override { return kSerialRound; }

  void unpack(Index, char* out) override {
    size_ = 0;
    while (size_ < kSerialRound && !at_end_) {
      if (block_.empty()) {
        at_end_ = !reader_.next_block(block_);
        const std::size_t skipped = std::min(skipped_, block_.size());
        block_.remove_prefix(skipped);
        skipped_ -= skipped;
      }
      const std::size_t taken = block_.copy(out + size_, kSerialRound - size_);
      block_.remove_prefix(taken);
      size_ += taken;
    }
  }

  void end_round(GrowingBytes& bytes) override { bytes.added(size_); }
  std::size_t used() const override { return reader_.packed_bytes(); }

 private:
  ArchiveReader reader_;
  std::string_view block_;  // what is left of libarchive's last block
  std::size_t skipped_;
  std::size_t size_ = 0;  // of the round
  bool at_end_ = false;
};

// Of a file without content, which libarchive refuses.
class NothingToUnpack : public Unpacker {
 public:
  Index begin_round() override { return 0; }
  std::size_t room() const override { return 0; }
  void unpack(Index, char*) override {}
  void end_round(GrowingBytes&) override {}
  std::size_t used() const override { return 0; }
};

bool is_empty_xz(std::string_view file) {
  constexpr std::uint64_t kMostMemory = std::uint64_t{64} << 20U;
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kMostMemory, LZMA_CONCATENATED) != LZMA_OK) return false;
  std::uint8_t content = 0;
  stream.next_in = reinterpret_cast<const std::uint8_t*>(file.data());
  stream.avail_in = file.size();
  stream.next_out = &content;
  stream.avail_out = 1;
  lzma_ret status = LZMA_OK;
  while (status == LZMA_OK && stream.avail_out == 1) status = lzma_code(&stream, LZMA_FINISH);
  const bool is_empty = status == LZMA_STREAM_END && stream.avail_out == 1;
  lzma_end(&stream);
  return is_empty;
}

constexpr std::size_t kLeastBzip2 = 14;  // bytes of a stream

// Streams without content are always the same bytes, but for the block size that the fourth one names.
bool is_empty_bzip2(std::string_view file) {
  constexpr std::string_view kEnd("\x17\x72\x45\x38\x50\x90\0\0\0\0", 10);
  while (file.size() >= kLeastBzip2 && file.starts_with("BZh") && file.substr(4, kEnd.size()) == kEnd) {
    file.remove_prefix(kLeastBzip2);
  }
  return file.empty();
}

}  // namespace

std::unique_ptr<Unpacker> archive_unpacker(const std::string& name, std::string_view compressed, std::size_t skipped) {
  if (compressed.size() < kLeastBzip2 && compressed.starts_with("BZh")) {  // libarchive would take it as it is
    throw corrupt_file(name, "truncated bzip2 input");
  }
  try {
    return std::make_unique<ArchiveUnpacker>(name, compressed, skipped);
  } catch (const Error&) {
    if (is_empty_xz(compressed) || is_empty_bzip2(compressed)) return std::make_unique<NothingToUnpack>();
    throw;
  }
}

}  // namespace clade
