#pragma once

#include <clade/error.h>
#include <fmt/core.h>

#include <charconv>
#include <string>
#include <string_view>

namespace clade::cli {

// The value of a flag that takes a share between 0 and 1, such as 20% or 0.2.
inline double share_of(std::string_view flag, const std::string& text) {
  const bool percent = text.ends_with('%');
  const char* end = text.data() + text.size() - (percent ? 1 : 0);
  double value = 0;
  const auto result = std::from_chars(text.data(), end, value);
  if (percent) value /= 100;
  if (result.ec == std::errc() && result.ptr == end && value > 0 && value < 1) return value;
  throw usage_error(fmt::format("{}: '{}'", flag, text), "expected a share such as 20% or 0.2");
}

}  // namespace clade::cli
