#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace clade {

// What the text of a number turned out to be. Numbers are rounded to the nearest, as by strtod and strtof.
enum class NumberStatus {
  kOk,         // a finite number (too small to represent: 0)
  kMissing,    // "nan" in any case
  kNotFinite,  // "inf", or too large for its type
  kNotNumber,  // anything else, including the empty text
};

struct NumberResult {
  NumberStatus status;
  const char* end;  // one past the last byte read; the start if there is no number
};

// Reads a decimal number at the start of [begin, end): an optional sign, digits with an optional point, an optional
// exponent. No leading blanks, no hexadecimal, no allocation, no locale. Several times faster than strtod on short
// decimals, and faster still if at least 40 bytes of text are left.
NumberResult parse_number(const char* begin, const char* end, double& value);
// Rounded only once, directly from the text, not via double.
NumberResult parse_number(const char* begin, const char* end, float& value);

// The same for a whole text: trailing bytes make it kNotNumber.
NumberStatus parse_whole_number(std::string_view text, double& value);

// Does rounding the nearest double of a text give the nearest float? Almost always; not if the double lies half-way
// between two floats, nor among the smallest floats, whose spacing differs.
inline bool rounds_once(double value) {
  constexpr std::uint64_t kCut = (1ULL << 29U) - 1;  // the bits of a double's fraction that a float lacks
  constexpr std::uint64_t kHalf = 1ULL << 28U;
  const double magnitude = std::abs(value);
  return (std::bit_cast<std::uint64_t>(value) & kCut) != kHalf &&
         (magnitude == 0 || magnitude >= std::numeric_limits<float>::min()) &&
         magnitude <= std::numeric_limits<float>::max();
}

// Appends the shortest text that reads back as the same number.
void append_number(std::string& text, double value);
void append_number(std::string& text, float value);

// Is this integer exact as a double? At most 53 bits may lie from its first to its last 1.
inline bool is_exact_in_double(std::uint64_t magnitude) {
  return magnitude == 0 || static_cast<int>(std::bit_width(magnitude)) - std::countr_zero(magnitude) <= 53;
}

}  // namespace clade
