#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace clade {

// Spreadsheets of many countries write 1.234,5 for 1234.5 and put semicolons between fields. Is a field such a number?
bool is_decimal_comma_number(std::string_view field);

// The text with those numbers as 1234.5, if the fields of its first records that have commas are mostly such numbers;
// otherwise nothing.
std::optional<std::string> with_decimal_points(std::string_view text, char delimiter);

}  // namespace clade
