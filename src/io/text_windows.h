#pragma once

#include <clade/context.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "io/growing_bytes.h"
#include "io/input.h"
#include "io/unpack/unpacker.h"

namespace clade {

// The lines of a compressed text in windows of some megabytes. While one is worked on, the next is unpacked, and only
// these two are in memory.
//
//   TextWindows windows(Input::open_as_is(path, ctx), ctx);
//   while (windows.next()) windows.run(count, [&](Index k) { work on a part of windows.text() });
class TextWindows {
 public:
  TextWindows(Input compressed, Context& ctx);

  // Goes to the next window; false at the end. Throws Error (kInput) for a damaged file, and for a line that is larger
  // than what is unpacked into memory.
  bool next();
  // Whole lines, of which the last of the file may have no line end.
  std::string_view text() const { return text_; }
  // Runs task(0) .. task(count - 1) on all threads, and beside them what unpacks the next window.
  void run(Index count, const std::function<void(Index)>& task);

  const Input& file() const { return file_; }
  // Of the compressed file.
  std::size_t used() const { return unpacker_->used(); }

 private:
  Input file_;
  Context& ctx_;
  std::unique_ptr<Unpacker> unpacker_;
  bool is_at_end_ = false;
  GrowingBytes current_;
  std::string_view text_;  // of `current_`
  GrowingBytes upcoming_;  // begins with what follows `text_` in `current_`
  std::size_t lines_ = 0;  // the bytes of whole lines at its beginning
};

}  // namespace clade
