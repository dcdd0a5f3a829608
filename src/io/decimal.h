#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace clade {

// The inner loop for every number that Clade reads from text: runs of digits, eight bytes at a time. Most readers need
// only number.h; those whose speed depends on numbers inline what is here.

// Digits are read in blocks of this many bytes, all of which must be readable.
constexpr int kDigitBlock = 8;

struct DigitRun {
  std::uint64_t value;  // of the digits; undefined if there are none
  int length;           // 0 to 8; 8 means that more may follow
};

// The digits at the start of text[0..8). No branch depends on their number.
inline DigitRun read_digits(const char* text) {
  std::uint64_t block = 0;
  std::memcpy(&block, text, kDigitBlock);
  if constexpr (std::endian::native == std::endian::big) block = __builtin_bswap64(block);
  // A digit becomes its value; any other byte becomes more than 9, which the addition carries into its top bit. A carry
  // can spoil only bytes after the first such byte, and those are not used.
  std::uint64_t digits = block ^ 0x3030303030303030U;
  const std::uint64_t others = ((digits + 0x7676767676767676U) | digits) & 0x8080808080808080U;
  const int length = std::countr_zero(others) / 8;
  // Shifts the digits to the top, with zeros in front, then joins neighbours: 8 x 1, 4 x 2, 2 x 4, 1 x 8 digits.
  digits <<= static_cast<unsigned>(64 - 8 * length) % 64U;
  digits = (digits * ((10U << 8U) + 1U)) >> 8U;
  digits = ((digits & 0x00FF00FF00FF00FFU) * ((100U << 16U) + 1U)) >> 16U;
  digits = ((digits & 0x0000FFFF0000FFFFU) * ((10000ULL << 32U) + 1U)) >> 32U;
  return {digits, length};
}

// Powers of ten that are exact as doubles: an exact mantissa times or divided by one of them rounds only once, and so
// correctly (Clinger 1990).
constexpr std::array<double, 23> kExactPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int kLargestExactPower = 22;
constexpr std::array<std::uint64_t, kDigitBlock + 1> kIntegerPowers = {1,      10,      100,      1000,     10000,
                                                                       100000, 1000000, 10000000, 100000000};

// Any integer below 10^15 is an exact double.
constexpr int kExactDigits = 15;
// The most bytes that parse_short_decimal() may read: a sign, 7 digits, a point, two blocks of the fraction, "e", a
// sign, a block.
constexpr std::ptrdiff_t kDecimalReach = 40;

// The exponent at the start of text[0..9), after the "e": "5", "-05", "+12". Returns its length, or 0 unless it has one
// or two digits.
inline int read_short_exponent(const char* text, int& exponent) {
  const int sign = *text == '-' || *text == '+' ? 1 : 0;
  const DigitRun run = read_digits(text + sign);
  if (run.length == 0 || run.length > 2) return 0;
  exponent = *text == '-' ? -static_cast<int>(run.value) : static_cast<int>(run.value);
  return sign + run.length;
}

// Reads a decimal of at most 15 digits ("12", "-0.25", "1.5e-05") at the start of text[0..kDecimalReach). Returns one
// past its last byte, or null for anything else: longer, larger, ".5", "5.", "+5", nan, not a number.
inline const char* parse_short_decimal(const char* text, double& value) {
  const std::uint64_t sign = *text == '-' ? 1 : 0;
  const char* p = text + sign;
  // One digit before the point is by far the most common case. If the processor predicts it, the fraction need not wait
  // for the length of what precedes it.
  DigitRun whole{static_cast<unsigned char>(*p - '0'), 1};
  if (p[1] != '.' || whole.value > 9) {
    whole = read_digits(p);
    if (whole.length == 0 || whole.length == kDigitBlock) return nullptr;
  }
  p += whole.length;
  std::uint64_t mantissa = whole.value;
  int places = 0;
  if (*p == '.') {
    const DigitRun fraction = read_digits(++p);
    if (fraction.length == 0) return nullptr;
    places = fraction.length;
    mantissa = mantissa * kIntegerPowers[static_cast<std::size_t>(places)] + fraction.value;
    if (places == kDigitBlock) {
      const DigitRun more = read_digits(p + kDigitBlock);
      const int digits = (whole.value == 0 ? 0 : whole.length) + kDigitBlock + more.length;
      if (digits > kExactDigits) return nullptr;
      if (more.length > 0) mantissa = mantissa * kIntegerPowers[static_cast<std::size_t>(more.length)] + more.value;
      places += more.length;
    }
    p += places;
  }
  auto magnitude = static_cast<double>(static_cast<std::int64_t>(mantissa));
  if (*p == 'e' || *p == 'E') {
    int exponent = 0;
    const int length = read_short_exponent(p + 1, exponent);
    places -= exponent;
    if (length == 0 || places < -kLargestExactPower || places > kLargestExactPower) return nullptr;
    p += 1 + length;
  }
  if (places >= 0) {
    magnitude /= kExactPowers[static_cast<std::size_t>(places)];
  } else {
    magnitude *= kExactPowers[static_cast<std::size_t>(-places)];
  }
  value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) | (sign << 63U));
  return p;
}

}  // namespace clade
