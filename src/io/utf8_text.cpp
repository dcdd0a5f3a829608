#include "io/utf8_text.h"

#include <algorithm>

#include "io/lines.h"

namespace clade {
namespace {

// Does a UTF-8 character start here? Otherwise the byte continues one.
bool starts_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

}  // namespace

Utf8Text::Utf8Text(const Input& input, Encoding encoding) : input_(input), text_(input.bytes()) {
  if (encoding == Encoding::kLatin1) {
    converted_ = latin1_to_utf8(text_);
    text_ = converted_;
    return;
  }
  text_ = without_byte_order_mark(text_);
  const std::size_t bad = first_invalid_utf8(text_);
  if (bad != std::string_view::npos) {
    throw input_error(at(bad), "a byte that is not UTF-8", "expected UTF-8, or use `encoding` latin-1");
  }
}

Where Utf8Text::at(std::size_t offset) const {
  const std::string_view before = text_.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::string_view in_line = newline == std::string_view::npos ? before : before.substr(newline + 1);
  return input_.at_line(line, std::count_if(in_line.begin(), in_line.end(), starts_character) + 1);
}

bool NumberedLines::next(std::string_view& line) {
  if (rest_.empty()) return false;
  line = take_line(rest_);
  ++number_;
  return true;
}

}  // namespace clade
