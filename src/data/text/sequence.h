#pragma once

#include <string_view>
#include <vector>

namespace clade {

// Strings of symbols (TextOptions::sequences). A symbol is a character of UTF-8 text that is neither white space nor a
// control character; its value is its code point. A byte that is no UTF-8 is passed over, as between words.
void append_symbols(std::string_view text, std::vector<char32_t>& symbols);

}  // namespace clade
