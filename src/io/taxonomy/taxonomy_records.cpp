#include "io/taxonomy/taxonomy_records.h"

#include <algorithm>

#include "io/lines.h"

namespace clade {
namespace {

// Does the line contain this character outside quotes? Quotes open only at the start of a field.
bool holds_unquoted(std::string_view line, char wanted) {
  bool quoted = false;
  char before = ',';
  for (const char c : line) {
    if (c == '"') quoted = !quoted && (before == ',' || before == '\t' || before == ' ');
    if (!quoted && c == wanted) return true;
    before = c;
  }
  return false;
}

}  // namespace

bool is_comment_or_blank(std::string_view line) {
  const std::string_view content = trim(line);
  return content.empty() || content.front() == '#';
}

char column_separator(std::string_view text) {
  NumberedLines lines(text);
  std::string_view line;
  while (lines.next(line)) {
    if (is_comment_or_blank(line)) continue;
    for (const char separator : {'\t', ',', ' '}) {
      if (holds_unquoted(trim(line), separator)) return separator;
    }
  }
  return ' ';
}

bool Records::next() {
  while (!rest_.empty()) {
    line_ = next_line_;
    const std::string_view line = rest_.substr(0, rest_.find('\n'));
    if (!is_comment_or_blank(line)) {
      start_ = rest_;
      read_fields();
      return true;
    }
    comments_ += trim(line).empty() ? 0 : 1;
    skip(std::min(line.size() + 1, rest_.size()));
  }
  return false;
}

void Records::skip(std::size_t bytes) {
  next_line_ += std::ranges::count(rest_.substr(0, bytes), '\n');
  rest_.remove_prefix(bytes);
}

void Records::skip_blanks() {
  while (!rest_.empty() && (rest_.front() == ' ' || (rest_.front() == '\t' && separator_ != '\t'))) {
    rest_.remove_prefix(1);
  }
}

bool Records::at_line_end() const {
  return rest_.empty() || rest_.front() == '\n' || rest_.starts_with("\r\n") || rest_ == "\r";
}

void Records::read_fields() {
  count_ = 0;
  do {
    skip_blanks();
    if (separator_ == ' ' && at_line_end()) break;
    read_field();
  } while (take_separator());
  skip(std::min(rest_.size(), std::size_t{rest_.starts_with('\r')} + 1));
}

void Records::read_field() {
  if (count_ == fields_.size()) {
    fields_.emplace_back();
    starts_.emplace_back();
  }
  starts_[count_] = static_cast<std::size_t>(rest_.data() - text_.text().data());
  std::string& field = fields_[count_++];
  field.clear();
  if (rest_.starts_with('"')) {
    read_quoted(field);
  } else {
    read_plain(field);
  }
}

void Records::read_plain(std::string& field) {
  const std::string_view ends = separator_ == ' ' ? " \t\n" : separator_ == ',' ? ",\n" : "\t\n";
  const std::string_view raw = rest_.substr(0, rest_.find_first_of(ends));
  field = trim(raw);
  rest_.remove_prefix(raw.size());
}

void Records::read_quoted(std::string& field) {
  const std::string_view opening = rest_;
  bool again = true;  // two quotes stand for one, and the field goes on
  while (again) {
    skip(1);
    const std::size_t quote = rest_.find('"');
    if (quote == std::string_view::npos) {
      throw input_error(text_.at(opening), "a quote that is not closed", "expected \" at the end of the name");
    }
    field += rest_.substr(0, quote);
    skip(quote + 1);
    again = rest_.starts_with('"');
    if (again) field += '"';
  }
  const std::string_view behind = rest_;
  skip_blanks();
  const bool separated = separator_ == ' ' ? behind.size() != rest_.size() : rest_.starts_with(separator_);
  if (!separated && !at_line_end()) {
    throw input_error(text_.at(rest_), "text behind a closing quote", "a quote inside a name is written twice");
  }
}

// Is there another field in this record?
bool Records::take_separator() {
  if (at_line_end()) return false;
  if (separator_ != ' ') rest_.remove_prefix(1);
  return true;
}

}  // namespace clade
