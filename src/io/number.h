#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace clade {

// What the text of a number turned out to be. The numbers are those of strtod and strtof: the nearest one.
enum class NumberStatus {
  kOk,         // a finite number (too small to represent: 0)
  kMissing,    // "nan" in any case
  kNotFinite,  // "inf", or too large for its type
  kNotNumber,  // anything else, the empty text included
};

struct NumberResult {
  NumberStatus status;
  const char* end;  // one behind the last byte read; the start where there is no number
};

// Reads a decimal number at the start of [begin, end): an optional sign, digits with an optional point, an optional
// exponent. No leading blanks, no hexadecimal, no allocation, no locale. Several times faster than strtod on short
// decimals, and faster still where 40 bytes or more are left of the text.
NumberResult parse_number(const char* begin, const char* end, double& value);
// Rounded once, from the text: not the double rounded a second time.
NumberResult parse_number(const char* begin, const char* end, float& value);

// The same for a whole text: trailing bytes make it kNotNumber.
NumberStatus parse_whole_number(std::string_view text, double& value);

// Can the nearest float of a text be had by rounding its nearest double? Almost always; not where that double lies
// half-way between two floats, nor among the smallest floats, whose spacing is another.
inline bool rounds_once(double value) {
  constexpr std::uint64_t kCut = (1ULL << 29U) - 1;  // the bits of a double's fraction that a float has not
  constexpr std::uint64_t kHalf = 1ULL << 28U;
  const double magnitude = std::abs(value);
  return (std::bit_cast<std::uint64_t>(value) & kCut) != kHalf &&
         (magnitude == 0 || magnitude >= std::numeric_limits<float>::min()) &&
         magnitude <= std::numeric_limits<float>::max();
}

// Appends the shortest text that reads back as the same number.
void append_number(std::string& text, double value);
void append_number(std::string& text, float value);

// Does a double hold this integer exactly? It has 53 bits for the digits between the first and the last that is 1.
inline bool is_exact_in_double(std::uint64_t magnitude) {
  return magnitude == 0 || static_cast<int>(std::bit_width(magnitude)) - std::countr_zero(magnitude) <= 53;
}

}  // namespace clade
