#include "io/text_windows.h"

#include "core/thread_pool.h"

namespace clade {

TextWindows::TextWindows(Input compressed, Context& ctx)
    : file_(std::move(compressed)), ctx_(ctx), unpacker_(make_unpacker(file_.name(), file_.bytes(), ctx.threads())) {}

bool TextWindows::next() {
  while (lines_ == 0 && !is_at_end_) run(0, {});
  if (is_at_end_) lines_ = upcoming_.size();
  std::swap(current_, upcoming_);
  upcoming_.clear();
  text_ = current_.view().substr(0, lines_);
  upcoming_.append(current_.view().substr(lines_));
  lines_ = 0;
  return !text_.empty();
}

void TextWindows::run(Index count, const std::function<void(Index)>& task) {
  const Index unpacking = is_at_end_ ? 0 : unpacker_->begin_round();
  is_at_end_ = unpacking == 0;
  char* out = is_at_end_ ? nullptr : upcoming_.reserve(unpacker_->room());
  // Unpacking comes first: it may be a single task that takes as long as all others.
  ctx_.pool().run(unpacking + count, [&](Index k) {
    ctx_.check_cancelled();
    if (k < unpacking) {
      unpacker_->unpack(k, out);
    } else {
      task(k - unpacking);
    }
  });
  if (is_at_end_) return;
  const std::size_t before = upcoming_.size();
  unpacker_->end_round(upcoming_);
  check_unpacked_size(file_.name(), upcoming_.size());
  const std::size_t line_end = upcoming_.view().substr(before).rfind('\n');
  if (line_end != std::string_view::npos) lines_ = before + line_end + 1;
}

}  // namespace clade
