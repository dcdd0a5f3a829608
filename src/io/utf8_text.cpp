#include "io/utf8_text.h"

#include "io/lines.h"

namespace clade {

std::string_view utf8_text(const Input& input, Encoding encoding, std::string& owned) {
  const std::string_view text = input.bytes();
  if (encoding == Encoding::kLatin1) {
    owned = latin1_to_utf8(text);
    return owned;
  }
  const std::size_t bad = first_invalid_utf8(text);
  if (bad != std::string_view::npos) {
    throw input_error(input.at_line(input.line_of(bad)), "a byte that is not UTF-8",
                      "expected UTF-8, or use `encoding` latin-1");
  }
  return without_byte_order_mark(text);
}

}  // namespace clade
