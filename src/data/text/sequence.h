#pragma once

#include <string_view>
#include <vector>

namespace clade {

// Strings of symbols (TextOptions::sequences). A symbol is a character of UTF-8 text that is neither white space nor a
// control character; its value is its code point. Bytes that are not UTF-8 are skipped, as between words.
void append_symbols(std::string_view text, std::vector<char32_t>& symbols);

}  // namespace clade
