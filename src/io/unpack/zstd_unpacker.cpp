#include <zstd.h>

#include <atomic>
#include <vector>

#include "io/unpack/formats.h"

namespace clade {
namespace {

// A frame with more packed or unpacked bytes than this is unpacked in order.
constexpr std::size_t kLargestFrame = std::size_t{16} << 20U;
constexpr std::size_t kMostPieces = 64;
constexpr std::size_t kPieceBytes = std::size_t{1} << 20U;  // small frames are joined to pieces of this content

class ZstdStream {
 public:
  ZstdStream() : stream_(ZSTD_createDCtx(), ZSTD_freeDCtx) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }

  // Unpacks from the front of `packed`, which advances, to out[size..room), and adds to `size`. Returns what is left to
  // do as the library says it: 0 at the end of a frame, or an error.
  std::size_t step(std::string_view& packed, char* out, std::size_t& size, std::size_t room) {
    ZSTD_inBuffer input{packed.data(), packed.size(), 0};
    ZSTD_outBuffer output{out, room, size};
    const std::size_t left = ZSTD_decompressStream(stream_.get(), &output, &input);
    packed.remove_prefix(input.pos);
    size = output.pos;
    return left;
  }

 private:
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> stream_;
};

// Some whole frames that are unpacked together.
struct Piece {
  std::string_view packed;
  std::size_t size = 0;   // the content, as the frames state it and after unpacking as it is
  bool is_stated = true;  // else the content goes to memory of its own first
  std::size_t place = 0;  // of stated content in the round
  GrowingBytes own;
};

class ZstdUnpacker : public Unpacker {
 public:
  ZstdUnpacker(std::string name, std::string_view compressed, int threads)
      : name_(std::move(name)), rest_(compressed), all_(compressed.size()), round_(round_bytes(threads)) {}

  Index begin_round() override {
    pieces_.clear();
    if (is_between_frames_ && !in_order_) plan();
    if (!pieces_.empty()) return std::ssize(pieces_);
    return rest_.empty() && is_between_frames_ ? 0 : 1;
  }

  std::size_t room() const override { return pieces_.empty() ? kSerialRound : room_; }

  void unpack(Index task, char* out) override {
    if (pieces_.empty()) return unpack_in_order(out);
    Piece& piece = pieces_[static_cast<std::size_t>(task)];
    if (!(piece.is_stated ? unpack_stated(piece, out + piece.place) : unpack_own(piece))) failed_ = true;
  }

  void end_round(GrowingBytes& bytes) override {
    if (pieces_.empty()) return bytes.added(size_);
    if (failed_) {  // damaged, or larger than it seemed: in order, then
      failed_ = false;
      in_order_ = true;
      return;
    }
    for (const Piece& piece : pieces_) {
      if (piece.is_stated) {
        bytes.added(piece.size);
      } else {
        bytes.append(piece.own.view());
      }
    }
    rest_.remove_prefix(static_cast<std::size_t>(pieces_.back().packed.end() - rest_.begin()));
  }

  std::size_t used() const override { return all_ - rest_.size(); }

 private:
  // Frames up to the size of a round. None if the first is large or damaged.
  void plan() {
    std::string_view rest = rest_;
    std::size_t packed = 0;
    room_ = 0;
    while (!rest.empty() && room_ < round_ && packed < round_ && pieces_.size() < kMostPieces) {
      const std::size_t size = ZSTD_findFrameCompressedSize(rest.data(), std::min(rest.size(), kLargestFrame));
      if (ZSTD_isError(size) != 0U) break;
      const unsigned long long content = ZSTD_getFrameContentSize(rest.data(), size);
      const bool is_stated = content != ZSTD_CONTENTSIZE_UNKNOWN;
      if (content == ZSTD_CONTENTSIZE_ERROR || (is_stated && content > kLargestFrame)) break;
      // All pieces of a round are of one kind; a skipped frame has no content and goes with either.
      const bool joins = !pieces_.empty() && (content == 0 || (is_stated && pieces_.back().size < kPieceBytes));
      if (!pieces_.empty() && content != 0 && is_stated != pieces_.back().is_stated) {
        if (room_ > 0 || !pieces_.front().is_stated) break;
        pieces_.back().is_stated = is_stated;  // so far there was only what is skipped
      } else if (!joins) {
        pieces_.push_back({.packed = rest.substr(0, 0), .size = 0, .is_stated = is_stated, .place = room_, .own = {}});
      }
      Piece& piece = pieces_.back();
      piece.packed = {piece.packed.data(), piece.packed.size() + size};
      if (is_stated) {
        piece.size += static_cast<std::size_t>(content);
        room_ += static_cast<std::size_t>(content);
      }
      packed += size;
      rest.remove_prefix(size);
    }
  }

  static bool unpack_stated(const Piece& piece, char* out) {
    std::string_view packed = piece.packed;
    ZstdStream stream;
    std::size_t size = 0;
    while (!packed.empty()) {
      const std::size_t before = packed.size();
      const std::size_t left = stream.step(packed, out, size, piece.size);
      if (ZSTD_isError(left) != 0U || (left != 0 && packed.size() == before)) return false;
      if (packed.empty()) return left == 0 && size == piece.size;
    }
    return false;
  }

  static bool unpack_own(Piece& piece) {
    constexpr std::size_t kStep = std::size_t{1} << 18U;
    std::string_view packed = piece.packed;
    ZstdStream stream;
    for (;;) {
      std::size_t size = 0;
      const std::size_t left = stream.step(packed, piece.own.reserve(kStep), size, kStep);
      piece.own.added(size);
      if (ZSTD_isError(left) != 0U || piece.own.size() > kLargestFrame) return false;
      if (left == 0 && packed.empty()) break;
      if (size == 0 && packed.empty()) return false;
    }
    piece.size = piece.own.size();
    return true;
  }

  // To the end of a frame, or as much as a round takes.
  void unpack_in_order(char* out) {
    if (!stream_) stream_ = std::make_unique<ZstdStream>();
    size_ = 0;
    while (size_ < kSerialRound) {
      const std::size_t before = size_;
      const std::size_t left = stream_->step(rest_, out, size_, kSerialRound);
      if (ZSTD_isError(left) != 0U) {
        throw corrupt_file(name_, std::string("Zstd decompression failed: ") + ZSTD_getErrorName(left));
      }
      is_between_frames_ = left == 0;
      if (is_between_frames_ && (rest_.empty() || !in_order_)) return;
      if (rest_.empty() && size_ == before) throw corrupt_file(name_, "Truncated zstd input");
    }
  }

  std::string name_;
  std::string_view rest_;
  std::size_t all_;
  std::size_t round_;
  bool is_between_frames_ = true;
  bool in_order_ = false;  // to the end of the file
  std::vector<Piece> pieces_;
  std::size_t room_ = 0;
  std::atomic<bool> failed_ = false;
  std::unique_ptr<ZstdStream> stream_;
  std::size_t size_ = 0;  // of a round in order
};

}  // namespace

std::unique_ptr<Unpacker> zstd_unpacker(const std::string& name, std::string_view compressed, int threads) {
  return std::make_unique<ZstdUnpacker>(name, compressed, threads);
}

}  // namespace clade
