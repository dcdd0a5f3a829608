#pragma once

#include <clade/io.h>

#include <string>
#include <string_view>

#include "io/input.h"

namespace clade {

// The text of a file as UTF-8, without a byte order mark, and the places of its parts for messages.
class Utf8Text {
 public:
  // Converts Latin-1 if `encoding` says so; otherwise throws Error with the place of the first byte that is not UTF-8.
  // `input` must outlive this.
  Utf8Text(const Input& input, Encoding encoding);
  Utf8Text(const Utf8Text&) = delete;
  Utf8Text& operator=(const Utf8Text&) = delete;

  std::string_view text() const { return text_; }
  const std::string& file_name() const { return input_.name(); }
  // Line and column (in characters) of a byte of text(); O(offset), for messages only.
  Where at(std::size_t offset) const;
  // The same for a part of text(), which is a view into it.
  Where at(std::string_view part) const { return at(static_cast<std::size_t>(part.data() - text_.data())); }

 private:
  const Input& input_;
  std::string converted_;  // from Latin-1; otherwise unused
  std::string_view text_;
};

// Lines with their numbers, counted from 1.
class NumberedLines {
 public:
  explicit NumberedLines(std::string_view text) : rest_(text) {}
  // Moves to the next line, without its end; false after the last.
  bool next(std::string_view& line);
  Index number() const { return number_; }

 private:
  std::string_view rest_;
  Index number_ = 0;
};

}  // namespace clade
