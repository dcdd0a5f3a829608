#include "data/text/sequence.h"

#include <clade/text.h>
#include <utf8proc.h>

namespace clade {
namespace {

bool is_symbol(utf8proc_int32_t code) {
  switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:  // a byte order mark, zero-width joiners
      return false;
    default:
      return true;
  }
}

}  // namespace

void append_symbols(std::string_view text, std::vector<char32_t>& symbols) {
  const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto* const end = at + text.size();
  while (at < end) {
    if (*at > ' ' && *at < 0x7F) {
      symbols.push_back(*at++);
      continue;
    }
    utf8proc_int32_t code = 0;
    const utf8proc_ssize_t length = utf8proc_iterate(at, end - at, &code);
    if (length <= 0) {
      ++at;
      continue;
    }
    at += length;
    if (is_symbol(code)) symbols.push_back(static_cast<char32_t>(code));
  }
}

bool holds_sequences(const Dataset& data) {
  return data.vectorizer() != nullptr && data.vectorizer()->options.sequences;
}

}  // namespace clade
