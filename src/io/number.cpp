#include "io/number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "io/decimal.h"

namespace clade {
namespace {

constexpr std::uint64_t kExactMantissa = 1ULL << 53U;
// 19 digits always fit 64 bits.
constexpr std::ptrdiff_t kMantissaDigits = 19;
// With an exponent this large, no number is representable, however long its mantissa; larger ones are cut to it.
constexpr std::int64_t kHugeExponent = 1LL << 58U;

bool is_digit(char c) {
  return static_cast<unsigned char>(c - '0') < 10;
}

// The exponent at the start of [p, end), after its "e"; 0 if there is none.
std::int64_t read_exponent(const char* p, const char* end) {
  const bool down = p != end && *p == '-';
  if (p != end && (*p == '-' || *p == '+')) ++p;
  std::int64_t power = 0;
  for (; p != end && is_digit(*p); ++p) power = std::min(kHugeExponent, power * 10 + (*p - '0'));
  return down ? -power : power;
}

// Is a number that is out of range too large (rather than too small)? The place of its first non-zero digit tells.
bool is_too_large(const char* p, const char* end) {
  if (p != end && *p == '-') ++p;
  while (p != end && *p == '0') ++p;
  std::int64_t magnitude = 0;  // 10^magnitude is just above the number without its exponent
  for (; p != end && is_digit(*p); ++p) ++magnitude;
  if (p != end && *p == '.') {
    ++p;
    if (magnitude == 0) {
      for (; p != end && *p == '0'; ++p) --magnitude;
    }
    while (p != end && is_digit(*p)) ++p;
  }
  return magnitude + (p == end ? 0 : read_exponent(p + 1, end)) > 0;
}

// Everything that the fast paths leave: long mantissas, large exponents, nan and inf.
template <class T>
NumberResult parse_slowly(const char* begin, const char* end, T& value) {
  const char* from = begin;
  if (from != end && *from == '+') {
    ++from;
    if (from != end && *from == '-') return {NumberStatus::kNotNumber, begin};
  }
  const auto [stop, error] = std::from_chars(from, end, value);
  if (error == std::errc::result_out_of_range) {
    if (is_too_large(from, stop)) return {NumberStatus::kNotFinite, stop};
    value = *from == '-' ? -T(0) : T(0);
    return {NumberStatus::kOk, stop};
  }
  if (error != std::errc()) return {NumberStatus::kNotNumber, begin};
  if (std::isnan(value)) return {NumberStatus::kMissing, stop};
  return {std::isinf(value) ? NumberStatus::kNotFinite : NumberStatus::kOk, stop};
}

// Byte by byte, for short texts and the last bytes of long ones.
NumberResult parse_by_bytes(const char* begin, const char* end, double& value) {
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
  if (digits == 0 || digits > kMantissaDigits) return parse_slowly(begin, end, value);
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
  if (mantissa > kExactMantissa || exponent < -kLargestExactPower || exponent > kLargestExactPower)
    return parse_slowly(begin, end, value);
  auto magnitude = static_cast<double>(mantissa);
  if (exponent < 0) {
    magnitude /= kExactPowers[static_cast<std::size_t>(-exponent)];
  } else {
    magnitude *= kExactPowers[static_cast<std::size_t>(exponent)];
  }
  value = negative ? -magnitude : magnitude;
  return {NumberStatus::kOk, p};
}

template <class T>
void append_shortest(std::string& text, T value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  text.append(buffer.data(), result.ptr);
}

}  // namespace

NumberResult parse_number(const char* begin, const char* end, double& value) {
  if (end - begin < kDecimalReach) return parse_by_bytes(begin, end, value);
  const char* stop = parse_short_decimal(begin, value);
  return stop != nullptr ? NumberResult{NumberStatus::kOk, stop} : parse_slowly(begin, end, value);
}

NumberResult parse_number(const char* begin, const char* end, float& value) {
  double wide = 0;
  const NumberResult result = parse_number(begin, end, wide);
  if (result.status == NumberStatus::kOk && !rounds_once(wide)) return parse_slowly(begin, result.end, value);
  if (result.status == NumberStatus::kOk || result.status == NumberStatus::kMissing) value = static_cast<float>(wide);
  return result;
}

NumberStatus parse_whole_number(std::string_view text, double& value) {
  const char* begin = text.data();
  const char* end = begin + text.size();
  const NumberResult result = parse_number(begin, end, value);
  return result.end == end ? result.status : NumberStatus::kNotNumber;
}

void append_number(std::string& text, double value) {
  append_shortest(text, value);
}

void append_number(std::string& text, float value) {
  append_shortest(text, value);
}

}  // namespace clade
