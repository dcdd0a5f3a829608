#include "io/csv/decimal_comma.h"

#include <clade/types.h>

#include <algorithm>

#include "io/csv/csv_record.h"
#include "io/lines.h"

namespace clade {
namespace {

constexpr Index kLookedAt = 200;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

bool is_decimal_comma_number(std::string_view field) {
  if (field.starts_with('-') || field.starts_with('+')) field.remove_prefix(1);
  const std::size_t comma = field.find(',');
  if (comma == std::string_view::npos || comma == 0 || comma + 1 == field.size()) return false;
  const std::string_view whole = field.substr(0, comma);
  const std::string_view fraction = field.substr(comma + 1);
  if (!std::ranges::all_of(fraction, is_digit)) return false;
  // 1234 or 1.234: groups of three after the first point
  const std::size_t point = whole.find('.');
  if (!std::ranges::all_of(whole.substr(0, point), is_digit)) return false;
  if (point == std::string_view::npos) return true;
  if (point == 0 || point > 3 || (whole.size() - point) % 4 != 0) return false;
  for (std::size_t k = point; k < whole.size(); ++k) {
    if ((k - point) % 4 == 0 ? whole[k] != '.' : !is_digit(whole[k])) return false;
  }
  return true;
}

namespace {

// 1.234 beside 1.234,5: the points are between thousands.
bool is_in_thousands(std::string_view field) {
  return field.find(',') == std::string_view::npos && field.find('.') != std::string_view::npos &&
         is_decimal_comma_number(std::string(field) + ",0");
}

}  // namespace

bool has_decimal_commas(std::string_view text, char delimiter) {
  if (delimiter == ',') return false;
  Index numbers = 0;
  Index others = 0;
  std::string_view rest = text;
  Index lines = 0;
  for (Index k = 0; k < kLookedAt && !rest.empty(); ++k) {
    const std::string_view record = take_csv_record(rest, delimiter, lines);
    const char* at = record.data();
    const char* end = at + record.size();
    for (;; ++at) {
      const std::string_view field = trim(take_csv_field(at, end, delimiter).raw);
      const bool has_digits_around = is_decimal_comma_number(field);
      if (has_digits_around) ++numbers;
      if (!has_digits_around && field.find(',') != std::string_view::npos &&
          field.find(' ') == std::string_view::npos) {
        ++others;
      }
      if (at == end) break;
    }
  }
  return numbers > 0 && others <= numbers;
}

std::string with_decimal_points(std::string_view text, char delimiter) {
  std::string result;
  result.reserve(text.size());
  std::string_view rest = text;
  Index lines = 0;
  while (!rest.empty()) {
    const std::string_view record = take_csv_record(rest, delimiter, lines);
    const char* at = record.data();
    const char* end = at + record.size();
    for (;; ++at) {
      const char* begin = at;
      const CsvField field = take_csv_field(at, end, delimiter);
      if (const auto value = trim(field.raw); is_decimal_comma_number(value) || is_in_thousands(value)) {
        for (const char c : trim(field.raw)) {
          if (c != '.') result += c == ',' ? '.' : c;
        }
      } else {
        result.append(begin, at);
      }
      if (at == end) break;
      result += delimiter;
    }
    result += '\n';
  }
  return result;
}

}  // namespace clade
