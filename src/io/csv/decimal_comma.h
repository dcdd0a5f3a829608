#pragma once

#include <string>
#include <string_view>

namespace clade {

// Spreadsheets of many countries write 1.234,5 for 1234.5 and put semicolons between fields. Is a field such a number?
bool is_decimal_comma_number(std::string_view field);

// Are the fields of the first records that have commas mostly such numbers?
bool has_decimal_commas(std::string_view text, char delimiter);
// The text with those numbers as 1234.5.
std::string with_decimal_points(std::string_view text, char delimiter);

}  // namespace clade
