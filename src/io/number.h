#pragma once

#include <string>
#include <string_view>

namespace clade {

// What the text of a number turned out to be. The numbers are those of strtod: the nearest double.
enum class NumberStatus {
  kOk,         // a finite number (too small to represent: 0)
  kMissing,    // "nan" in any case
  kNotFinite,  // "inf", or too large for a double
  kNotNumber,  // anything else, the empty text included
};

struct NumberResult {
  NumberStatus status;
  const char* end;  // one behind the last byte read
};

// Reads a decimal number at the start of [begin, end): an optional sign, digits with an optional point, an optional
// exponent. No leading blanks, no allocation, no locale. Several times faster than strtod on short decimals.
NumberResult parse_number(const char* begin, const char* end, double& value);

// The same for a whole text: trailing bytes make it kNotNumber.
NumberStatus parse_whole_number(std::string_view text, double& value);

// Appends the shortest text that reads back as the same number.
void append_number(std::string& text, double value);
void append_number(std::string& text, float value);

}  // namespace clade
