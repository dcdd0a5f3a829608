#include "cli/time_span.h"

#include <clade/error.h>
#include <fmt/core.h>

#include <locale>
#include <optional>
#include <sstream>
#include <utility>

namespace clade::cli {
namespace {

// A number and what follows it; nothing if the text does not begin with one.
std::optional<std::pair<double, std::string>> number_and_rest(const std::string& text) {
  std::istringstream stream(text);
  stream.imbue(std::locale::classic());
  double number = 0;
  if (!(stream >> number)) return std::nullopt;
  std::string rest;
  stream >> rest;
  return std::pair(number, rest);
}

}  // namespace

double seconds_of(std::string_view flag, const std::string& text) {
  const auto parsed = number_and_rest(text);
  if (parsed && parsed->first > 0) {
    if (parsed->second.empty() || parsed->second == "s") return parsed->first;
    if (parsed->second == "min") return 60 * parsed->first;
    if (parsed->second == "h") return 3600 * parsed->first;
  }
  throw usage_error(fmt::format("{}: '{}'", flag, text), "expected a time such as 60s, 5min or 1h");
}

}  // namespace clade::cli
