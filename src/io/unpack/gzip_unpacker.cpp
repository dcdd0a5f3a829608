#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <vector>

#include "io/unpack/formats.h"
#include "io/zlib_coder.h"

namespace clade {
namespace {

std::size_t little_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t k = bytes.size(); k > 0; --k) value = value << 8U | static_cast<unsigned char>(bytes[k - 1]);
  return value;
}

// Only padding may follow the last member.
bool is_padding(std::string_view rest) {
  return std::ranges::all_of(rest, [](char c) { return c == '\0'; });
}

// A member that states its sizes.
struct Block {
  std::string_view packed;
  std::size_t size = 0;
};

// The block of BGZF at the beginning of `rest`; without bytes if there is none.
Block block_at(std::string_view rest) {
  constexpr std::size_t kFixed = 12;           // up to the length of the extra fields
  constexpr std::size_t kLargest = 1U << 16U;  // content
  constexpr std::size_t kTrailer = 8;
  if (rest.size() < kFixed || !rest.starts_with(std::string_view("\x1f\x8b\x08\x04", 4))) return {};
  std::string_view extra = rest.substr(kFixed, little_endian(rest.substr(10, 2)));
  while (extra.size() >= 4) {
    const std::size_t length = little_endian(extra.substr(2, 2));
    if (extra.starts_with("BC") && length == 2 && extra.size() >= 6) {
      const std::size_t packed = little_endian(extra.substr(4, 2)) + 1;
      if (packed > rest.size() || packed < kFixed + kTrailer) return {};
      const std::size_t size = little_endian(rest.substr(packed - 4, 4));
      return size <= kLargest ? Block{.packed = rest.substr(0, packed), .size = size} : Block();
    }
    extra.remove_prefix(std::min(extra.size(), 4 + length));
  }
  return {};
}

// Blocks that one task unpacks.
struct BlockRange {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t place = 0;  // of their content in the round
};

// Could a member begin here? Programs use few values of the last two bytes.
bool looks_like_member(std::string_view text) {
  if (text.size() < 10 || (text[3] & 0xE0) != 0) return false;
  const auto level = static_cast<unsigned char>(text[8]);
  const auto system = static_cast<unsigned char>(text[9]);
  return (level == 0 || level == 2 || level == 4) && (system <= 13 || system == 255);
}

// Unpacks members one after the other, with a pause whenever its room is full.
class MemberRun {
 public:
  enum class State { kPaused, kBetweenMembers, kFailed };

  MemberRun(const std::string& name, std::string_view rest) : name_(name), begin_(rest.data()), rest_(rest) {}

  // Goes on until [out, out + room) is full, the file ends, a member ends at `stop`, or something is wrong. Returns how
  // many bytes there are.
  std::size_t unpack(char* out, std::size_t room, const char* stop) {
    std::size_t size = 0;
    while (size < room) {
      if (state_ == State::kBetweenMembers) {
        if (is_padding(rest_) || rest_.data() == stop) return size;
        inflater_.begin_next_member();
      }
      const int status = inflater_.step(rest_, out + size, std::min(room - size, kLargestZlibCall));
      size += inflater_.written();
      state_ = status == Z_STREAM_END ? State::kBetweenMembers : State::kPaused;
      if (status == Z_BUF_ERROR) return fail("truncated gzip input", size);
      if (status != Z_OK && status != Z_STREAM_END) {
        return fail(inflater_.message() != nullptr ? inflater_.message() : "expected a whole gzip stream", size);
      }
    }
    return size;
  }

  // The same for a run ahead of its turn, whose content stays here.
  void unpack_ahead(const char* stop) {
    constexpr std::size_t kStep = std::size_t{1} << 18U;
    std::size_t size = kStep;
    while (size == kStep && state_ != State::kFailed && ahead_.size() + kStep <= kMostAhead) {
      size = unpack(ahead_.reserve(kStep), kStep, stop);
      ahead_.added(size);
    }
  }
  static constexpr std::size_t kMostAhead = std::size_t{8} << 20U;

  const char* begin() const { return begin_; }
  std::string_view rest() const { return rest_; }
  State state() const { return state_; }
  GrowingBytes& ahead() { return ahead_; }
  [[noreturn]] void raise() const { throw corrupt_file(name_, reason_); }

 private:
  std::size_t fail(const char* reason, std::size_t size) {
    state_ = State::kFailed;
    reason_ = reason;
    return size;
  }

  std::string name_;
  const char* begin_;
  std::string_view rest_;
  Inflater inflater_{kGzipStream};
  State state_ = State::kBetweenMembers;
  std::string reason_;
  GrowingBytes ahead_;
};

class GzipUnpacker : public Unpacker {
 public:
  GzipUnpacker(std::string name, std::string_view compressed, int threads)
      : name_(std::move(name)),
        rest_(compressed),
        all_(compressed.size()),
        round_(round_bytes(threads)),
        most_ahead_(threads > 1 ? static_cast<std::size_t>(std::min(threads, 16)) : 0),
        searched_(compressed.data() + std::min<std::size_t>(compressed.size(), 1)) {}

  Index begin_round() override {
    blocks_.clear();
    ranges_.clear();
    if (!run_ && is_padding(rest_)) return 0;
    if (!run_ && has_blocks_ && ahead_.empty()) plan_blocks();
    if (!ranges_.empty()) return std::ssize(ranges_);
    if (!run_) run_ = std::make_unique<MemberRun>(name_, rest_);
    return plan_runs();
  }

  std::size_t room() const override {
    if (!ranges_.empty()) return room_;
    // A short file does not fill a round.
    return std::min(kSerialRound, (rest_.size() + 1) * std::size_t{1040} + 64);
  }

  void unpack(Index task, char* out) override {
    if (!ranges_.empty()) {
      if (!unpack_blocks(ranges_[static_cast<std::size_t>(task)], out)) failed_ = true;
      return;
    }
    const auto t = static_cast<std::size_t>(task);
    const char* next = t < ahead_.size() ? ahead_[t]->begin() : nullptr;
    if (t == 0) {
      size_ = run_->unpack(out, room(), next);
    } else if (t <= ahead_.size()) {
      if (t > old_ahead_) ahead_[t - 1]->unpack_ahead(next);
    } else {
      search();
    }
  }

  void end_round(GrowingBytes& bytes) override {
    if (!ranges_.empty()) return end_blocks(bytes);
    bytes.added(size_);
    if (run_->state() == MemberRun::State::kFailed) run_->raise();
    rest_ = run_->rest();
    while (!ahead_.empty() && run_->state() == MemberRun::State::kBetweenMembers &&
           ahead_.front()->begin() == rest_.data()) {
      run_ = std::move(ahead_.front());
      ahead_.pop_front();
      bytes.append(run_->ahead().view());
      run_->ahead() = GrowingBytes();
      if (run_->state() == MemberRun::State::kFailed) run_->raise();
      rest_ = run_->rest();
    }
    drop_passed();
    if (run_->state() == MemberRun::State::kBetweenMembers) run_.reset();
  }

  std::size_t used() const override { return all_ - rest_.size(); }

 private:
  // --- blocks of BGZF ---

  void plan_blocks() {
    constexpr std::size_t kBlocksPerTask = 16;
    constexpr std::size_t kMostBlocks = 1U << 14U;  // they may be empty
    std::string_view rest = rest_;
    room_ = 0;
    while (room_ < round_ && blocks_.size() < kMostBlocks) {
      const Block block = block_at(rest);
      if (block.packed.empty()) break;
      if (blocks_.size() % kBlocksPerTask == 0) ranges_.push_back({blocks_.size(), blocks_.size(), room_});
      blocks_.push_back(block);
      ++ranges_.back().last;
      room_ += block.size;
      rest.remove_prefix(block.packed.size());
    }
  }

  bool unpack_blocks(const BlockRange& range, char* out) const {
    Inflater inflater(kGzipStream);
    out += range.place;
    for (std::size_t b = range.first; b < range.last; ++b) {
      std::string_view packed = blocks_[b].packed;
      char none = 0;  // zlib wants room even if there is no content
      const bool is_empty = blocks_[b].size == 0;
      if (b > range.first) inflater.begin_next_member();
      const int status = inflater.step(packed, is_empty ? &none : out, is_empty ? 1 : blocks_[b].size);
      if (status != Z_STREAM_END || !packed.empty() || inflater.written() != blocks_[b].size) return false;
      out += blocks_[b].size;
    }
    return true;
  }

  void end_blocks(GrowingBytes& bytes) {
    if (failed_) {  // damaged, or the sizes are wrong: as members, then
      failed_ = false;
      has_blocks_ = false;
      return;
    }
    bytes.added(room_);
    rest_.remove_prefix(static_cast<std::size_t>(blocks_.back().packed.end() - rest_.begin()));
    searched_ = std::max(searched_, rest_.data());
  }

  // --- other members ---

  // Begins runs at members that were found further on. The tasks are the run whose turn it is, the runs ahead, and the
  // search for more.
  Index plan_runs() {
    old_ahead_ = ahead_.size();
    if (most_ahead_ == 0) return 1;
    while (ahead_.size() < most_ahead_ && !found_.empty()) {
      const char* begin = found_.front();
      found_.pop_front();
      const char* reached = ahead_.empty() ? rest_.data() : ahead_.back()->rest().data();
      const char* begun = ahead_.empty() ? rest_.data() : ahead_.back()->begin();
      if (begin <= reached || begin - begun < kSpacing) continue;
      ahead_.push_back(
          std::make_unique<MemberRun>(name_, rest_.substr(static_cast<std::size_t>(begin - rest_.data()))));
    }
    return 2 + std::ssize(ahead_);
  }
  static constexpr std::ptrdiff_t kSpacing = std::ptrdiff_t{1} << 18U;  // packed bytes that make a task worth while

  // What was found ahead and is not where a member begins.
  void drop_passed() {
    while (!ahead_.empty() && ahead_.front()->begin() < rest_.data()) {
      ahead_.pop_front();
      constexpr int kMostFailures = 8;
      if (++failures_ == kMostFailures) most_ahead_ = 0;
    }
    if (most_ahead_ == 0) ahead_.clear();
  }

  // Looks for members in the packed bytes after those of this round.
  void search() {
    constexpr std::size_t kReach = std::size_t{32} << 20U;
    constexpr std::size_t kMostFound = 1024;
    constexpr std::string_view kBegin("\x1f\x8b\x08", 3);
    const char* from = std::max(searched_, rest_.data() + std::min<std::size_t>(rest_.size(), 1));
    const char* file_end = rest_.data() + rest_.size();
    const char* end = file_end - from > static_cast<std::ptrdiff_t>(kReach) ? from + kReach : file_end;
    // Not further ahead than there is use for.
    if (from - rest_.data() > static_cast<std::ptrdiff_t>(2 * kReach)) return;
    while (from < end && found_.size() < kMostFound) {
      const auto left = static_cast<std::size_t>(file_end - from);
      const auto* at =
          static_cast<const char*>(::memmem(from, static_cast<std::size_t>(end - from), kBegin.data(), kBegin.size()));
      if (at == nullptr) {
        from = end == file_end ? end : end - (kBegin.size() - 1);
        break;
      }
      if (looks_like_member({at, left - static_cast<std::size_t>(at - from)})) found_.push_back(at);
      from = at + 1;
    }
    searched_ = from;
  }

  std::string name_;
  std::string_view rest_;  // from where the round begins
  std::size_t all_;
  std::size_t round_;

  bool has_blocks_ = true;
  std::vector<Block> blocks_;
  std::vector<BlockRange> ranges_;
  std::size_t room_ = 0;
  std::atomic<bool> failed_ = false;

  std::unique_ptr<MemberRun> run_;                // the run whose turn it is, within a member
  std::size_t size_ = 0;                          // of its content in this round
  std::deque<std::unique_ptr<MemberRun>> ahead_;  // in the order of the file
  std::size_t old_ahead_ = 0;                     // of them, those of earlier rounds
  std::size_t most_ahead_;
  std::deque<const char*> found_;  // where members may begin
  const char* searched_;           // so far
  int failures_ = 0;
};

}  // namespace

std::unique_ptr<Unpacker> gzip_unpacker(const std::string& name, std::string_view compressed, int threads) {
  return std::make_unique<GzipUnpacker>(name, compressed, threads);
}

}  // namespace clade
