#include "io/number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace clade {
namespace {

// Powers of ten that a double holds exactly: mantissa * or / one of them rounds once, hence correctly (Clinger 1990).
constexpr std::array<double, 23> kExactPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::uint64_t kExactMantissa = 1ULL << 53U;

bool is_digit(char c) {
  return static_cast<unsigned char>(c - '0') < 10;
}

// Everything the fast path leaves: long mantissas, large exponents, nan and inf.
NumberResult parse_slowly(const char* begin, const char* end, double& value) {
  const char* from = begin;
  if (from != end && *from == '+') {
    ++from;
    if (from != end && *from == '-') return {NumberStatus::kNotNumber, begin};
  }
  const auto [stop, error] = std::from_chars(from, end, value);
  if (error == std::errc::result_out_of_range) {
    // from_chars does not say on which side: an exponent below zero can only be too small.
    const std::string_view text(from, static_cast<std::size_t>(stop - from));
    const std::size_t mark = text.find_first_of("eE");
    const bool tiny = mark != std::string_view::npos && mark + 1 < text.size() && text[mark + 1] == '-';
    value = 0;
    return {tiny ? NumberStatus::kOk : NumberStatus::kNotFinite, stop};
  }
  if (error != std::errc()) return {NumberStatus::kNotNumber, begin};
  if (std::isnan(value)) return {NumberStatus::kMissing, stop};
  return {std::isinf(value) ? NumberStatus::kNotFinite : NumberStatus::kOk, stop};
}

}  // namespace

NumberResult parse_number(const char* begin, const char* end, double& value) {
  const char* p = begin;
  const bool negative = p != end && *p == '-';
  if (p != end && (*p == '-' || *p == '+')) ++p;

  std::uint64_t mantissa = 0;
  const char* first_digit = p;
  while (p != end && is_digit(*p)) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p++ - '0');
  auto digits = p - first_digit;
  int exponent = 0;
  if (p != end && *p == '.') {
    const char* point = ++p;
    while (p != end && is_digit(*p)) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p++ - '0');
    digits += p - point;
    exponent = -static_cast<int>(p - point);
  }
  // 19 digits always fit 64 bits; beyond that the mantissa may have overflowed.
  if (digits == 0 || digits > 19) return parse_slowly(begin, end, value);
  if (p != end && (*p == 'e' || *p == 'E')) {
    const char* q = p + 1;
    const bool down = q != end && *q == '-';
    if (q != end && (*q == '-' || *q == '+')) ++q;
    const char* first = q;
    int power = 0;
    while (q != end && is_digit(*q) && power < 1000) power = power * 10 + (*q++ - '0');
    if (q != end && is_digit(*q)) return parse_slowly(begin, end, value);
    if (q != first) {
      exponent += down ? -power : power;
      p = q;
    }
  }
  if (mantissa > kExactMantissa || exponent < -22 || exponent > 22) return parse_slowly(begin, end, value);
  double magnitude = static_cast<double>(mantissa);
  if (exponent < 0) {
    magnitude /= kExactPowers[static_cast<std::size_t>(-exponent)];
  } else {
    magnitude *= kExactPowers[static_cast<std::size_t>(exponent)];
  }
  value = negative ? -magnitude : magnitude;
  return {NumberStatus::kOk, p};
}

NumberStatus parse_whole_number(std::string_view text, double& value) {
  const char* end = text.data() + text.size();
  const NumberResult result = parse_number(text.data(), end, value);
  return result.end == end ? result.status : NumberStatus::kNotNumber;
}

void append_number(std::string& text, double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  text.append(buffer.data(), result.ptr);
}

void append_number(std::string& text, float value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  text.append(buffer.data(), result.ptr);
}

}  // namespace clade
