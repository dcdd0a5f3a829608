#include <lzma.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "io/unpack/formats.h"

namespace clade {
namespace {

constexpr std::uint64_t kLargestBlock = std::uint64_t{128} << 20U;  // content
constexpr std::uint64_t kLargestRound = std::uint64_t{256} << 20U;
constexpr std::uint64_t kLargestRatio = 8192;  // of content to packed bytes; the format itself stays below

const std::uint8_t* as_lzma_input(std::string_view bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

// A part of the file that can be unpacked by itself.
struct Block {
  std::string_view packed;
  std::uint64_t unpadded = 0;  // its bytes without padding
  std::size_t size = 0;        // content
};

struct BlockList {
  lzma_check check{};
  std::vector<Block> blocks;
};

// The blocks of a file that is one stream with an index in order; nothing if it is something else, or if blocks are too
// large to hold several of them.
std::optional<BlockList> blocks_of(std::string_view file) {
  constexpr std::size_t kEnd = LZMA_STREAM_HEADER_SIZE;
  constexpr std::uint64_t kIndexMemory = std::uint64_t{64} << 20U;
  if (file.size() < 2 * kEnd) return std::nullopt;
  lzma_stream_flags header{};
  lzma_stream_flags footer{};
  const std::size_t footer_at = file.size() - kEnd;
  if (lzma_stream_header_decode(&header, as_lzma_input(file)) != LZMA_OK ||
      lzma_stream_footer_decode(&footer, as_lzma_input(file.substr(footer_at))) != LZMA_OK ||
      lzma_stream_flags_compare(&header, &footer) != LZMA_OK || footer.backward_size > footer_at) {
    return std::nullopt;
  }
  const std::string_view packed_index = file.substr(footer_at - footer.backward_size, footer.backward_size);
  lzma_index* index = nullptr;
  std::uint64_t memory = kIndexMemory;
  std::size_t at = 0;
  if (lzma_index_buffer_decode(&index, &memory, nullptr, as_lzma_input(packed_index), &at, packed_index.size()) !=
      LZMA_OK) {
    return std::nullopt;
  }
  const std::unique_ptr<lzma_index, void (*)(lzma_index*)> kept(index,
                                                                [](lzma_index* i) { lzma_index_end(i, nullptr); });
  if (at != packed_index.size() || lzma_index_stream_size(index) != file.size()) return std::nullopt;
  BlockList list{.check = header.check, .blocks = {}};
  lzma_index_iter block;
  lzma_index_iter_init(&block, index);
  while (!lzma_index_iter_next(&block, LZMA_INDEX_ITER_BLOCK)) {
    const auto& b = block.block;
    if (b.uncompressed_size > std::min(kLargestBlock, kLargestRatio * b.total_size)) return std::nullopt;
    list.blocks.push_back({.packed = file.substr(b.compressed_file_offset, b.total_size),
                           .unpadded = b.unpadded_size,
                           .size = static_cast<std::size_t>(b.uncompressed_size)});
  }
  return list;
}

// False: the block is damaged, or not what the index says.
bool unpack_block(const Block& packed, lzma_check check, char* out) {
  constexpr std::uint64_t kMostMemory = std::uint64_t{512} << 20U;
  const std::uint8_t* input = as_lzma_input(packed.packed);
  std::array<lzma_filter, LZMA_FILTERS_MAX + 1> filters{};
  filters.back().id = LZMA_VLI_UNKNOWN;
  lzma_block block{};
  block.version = 1;
  block.check = check;
  block.filters = filters.data();
  if (packed.packed.empty() || input[0] == 0) return false;
  block.header_size = lzma_block_header_size_decode(input[0]);
  if (block.header_size > packed.packed.size()) return false;
  if (lzma_block_header_decode(&block, nullptr, input) != LZMA_OK) return false;
  std::size_t at = block.header_size;
  std::size_t size = 0;
  const bool is_whole = lzma_block_compressed_size(&block, packed.unpadded) == LZMA_OK &&
                        lzma_raw_decoder_memusage(filters.data()) <= kMostMemory &&
                        lzma_block_buffer_decode(&block, nullptr, input, &at, packed.packed.size(),
                                                 reinterpret_cast<std::uint8_t*>(out), &size, packed.size) == LZMA_OK &&
                        at == packed.packed.size() && size == packed.size;
  lzma_filters_free(filters.data(), nullptr);
  return is_whole;
}

class XzUnpacker : public Unpacker {
 public:
  XzUnpacker(std::string name, std::string_view compressed, BlockList list, int threads)
      : name_(std::move(name)), compressed_(compressed), list_(std::move(list)), threads_(threads) {}

  Index begin_round() override {
    if (in_order_) return in_order_->begin_round();
    first_ = last_;
    places_.clear();
    room_ = 0;
    while (last_ < list_.blocks.size()) {
      const std::size_t size = list_.blocks[last_].size;
      if (room_ >= round_bytes(threads_) && places_.size() >= static_cast<std::size_t>(threads_)) break;
      if (!places_.empty() && room_ + size > kLargestRound) break;
      places_.push_back(room_);
      room_ += size;
      ++last_;
    }
    return std::ssize(places_);
  }

  std::size_t room() const override { return in_order_ ? in_order_->room() : room_; }

  void unpack(Index task, char* out) override {
    if (in_order_) return in_order_->unpack(task, out);
    const auto t = static_cast<std::size_t>(task);
    if (!unpack_block(list_.blocks[first_ + t], list_.check, out + places_[t])) failed_ = true;
  }

  void end_round(GrowingBytes& bytes) override {
    if (in_order_) return in_order_->end_round(bytes);
    if (failed_) {  // libarchive says what is wrong
      in_order_ = archive_unpacker(name_, compressed_, given_);
      return;
    }
    bytes.added(room_);
    given_ += room_;
  }

  std::size_t used() const override {
    if (in_order_) return in_order_->used();
    return last_ == 0 ? 0 : static_cast<std::size_t>(list_.blocks[last_ - 1].packed.end() - compressed_.begin());
  }

 private:
  std::string name_;
  std::string_view compressed_;
  BlockList list_;
  int threads_;
  std::size_t first_ = 0;  // of the round, among the blocks
  std::size_t last_ = 0;
  std::vector<std::size_t> places_;
  std::size_t room_ = 0;
  std::size_t given_ = 0;  // bytes so far
  std::atomic<bool> failed_ = false;
  std::unique_ptr<Unpacker> in_order_;
};

}  // namespace

std::unique_ptr<Unpacker> xz_unpacker(const std::string& name, std::string_view compressed, int threads) {
  auto list = threads > 1 ? blocks_of(compressed) : std::nullopt;
  if (!list || list->blocks.size() < 2) return archive_unpacker(name, compressed);
  return std::make_unique<XzUnpacker>(name, compressed, *std::move(list), threads);
}

}  // namespace clade
