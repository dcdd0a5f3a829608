#include "report/page/packed_numbers.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace clade {

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - k);
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 3; ++j) three = (three << 8U) | (j < count ? bytes[k + j] : 0U);
    for (std::size_t j = 0; j < 4; ++j) text += j <= count ? kDigits[(three >> (18 - 6 * j)) & 63U] : '=';
  }
  return text;
}

std::string packed_signed(std::span<const double> numbers, double largest) {
  constexpr double kMost = 32767;
  std::vector<std::uint8_t> bytes;
  bytes.reserve(2 * numbers.size());
  for (const double number : numbers) {
    const double share = largest > 0 ? std::clamp(number / largest, -1.0, 1.0) : 0;
    const auto whole = static_cast<std::uint16_t>(static_cast<std::int16_t>(std::lround(kMost * share)));
    bytes.push_back(static_cast<std::uint8_t>(whole & 255U));
    bytes.push_back(static_cast<std::uint8_t>(whole >> 8U));
  }
  return base64(bytes);
}

std::string packed_bytes(std::span<const double> numbers, double low, double high) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(numbers.size());
  for (const double number : numbers) {
    const double share = high > low ? std::clamp((number - low) / (high - low), 0.0, 1.0) : 0;
    bytes.push_back(static_cast<std::uint8_t>(std::lround(255 * share)));
  }
  return base64(bytes);
}

}  // namespace clade
