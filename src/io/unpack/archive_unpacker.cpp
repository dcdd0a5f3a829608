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

}  // namespace

std::unique_ptr<Unpacker> archive_unpacker(const std::string& name, std::string_view compressed, std::size_t skipped) {
  return std::make_unique<ArchiveUnpacker>(name, compressed, skipped);
}

}  // namespace clade
