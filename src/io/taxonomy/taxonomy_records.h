#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/utf8_text.h"

namespace clade {

// What separates the columns of a text: a tab, a comma, or a blank for any run of blanks and tabs. The first line with
// one of them outside quotes decides; if it has several, a tab comes first, then a comma.
char column_separator(std::string_view text);

// Is a line blank or a comment, which begins with #?
bool is_comment_or_blank(std::string_view line);

// Cuts a text into records of fields, one record per line. Blanks around a field do not belong to it. A field in double
// quotes may hold anything, including line ends; a quote in it is written twice. Skips lines that are blank or begin
// with #. `text` must outlive this.
class Records {
 public:
  Records(const Utf8Text& text, char separator) : text_(text), rest_(text.text()), separator_(separator) {}

  // Moves to the next record; false after the last. Throws Error on a quote that is not closed, or closed too early.
  bool next();

  std::span<const std::string> fields() const { return {fields_.data(), count_}; }
  Index line() const { return line_; }          // on which the record begins
  Index comments() const { return comments_; }  // number of lines with # that were skipped
  Where at_field(std::size_t column) const { return text_.at(starts_[column]); }
  Where at() const { return text_.at(start_); }

 private:
  void skip(std::size_t bytes);
  void skip_blanks();
  bool at_line_end() const;
  void read_fields();
  void read_field();
  void read_plain(std::string& field);
  void read_quoted(std::string& field);
  bool take_separator();

  const Utf8Text& text_;
  std::string_view rest_;
  std::string_view start_;  // of the record, to the end of the text
  char separator_;
  Index line_ = 0;
  Index comments_ = 0;
  Index next_line_ = 1;
  std::vector<std::string> fields_;  // the first count_ belong to the record; the rest is kept for its memory
  std::vector<std::size_t> starts_;
  std::size_t count_ = 0;
};

}  // namespace clade
