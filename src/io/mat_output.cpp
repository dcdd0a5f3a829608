#include "io/mat_output.h"

namespace clade {

std::u16string utf16(std::string_view utf8) {
  std::u16string codes;
  codes.reserve(utf8.size());
  for (std::size_t at = 0; at < utf8.size();) {
    const auto first = static_cast<unsigned char>(utf8[at++]);
    const int more = first < 0x80 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    std::uint32_t code = more == 0 ? first : first & (0x3FU >> static_cast<unsigned>(more));
    for (int k = 0; k < more; ++k) code = code << 6U | (static_cast<unsigned char>(utf8[at++]) & 0x3FU);
    if (code < 0x10000) {
      codes += static_cast<char16_t>(code);
    } else {
      codes += static_cast<char16_t>(0xD800U | (code - 0x10000U) >> 10U);
      codes += static_cast<char16_t>(0xDC00U | (code & 0x3FFU));
    }
  }
  return codes;
}

}  // namespace clade
