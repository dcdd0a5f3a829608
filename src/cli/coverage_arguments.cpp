#include "cli/coverage_arguments.h"

#include <clade/error.h>
#include <fmt/core.h>

#include <charconv>

namespace clade::cli {
namespace {

// Nothing if the text is not a number and nothing else.
template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "0.9", "90%"
double coverage_of(std::string_view text) {
  const bool is_percent = text.ends_with('%');
  const auto number = whole_number<double>(is_percent ? text.substr(0, text.size() - 1) : text);
  const double share = number ? *number / (is_percent ? 100 : 1) : 0;
  if (share > 0 && share < 1) return share;
  throw usage_error(fmt::format("--coverage: '{}'", text), "expected a share above 0 and below 1, such as 0.9 or 90%");
}

Index set_size_of(const std::string& text) {
  const auto size = whole_number<Index>(text);
  if (size && *size >= 1 && *size <= kLargestSetSize) return *size;
  throw usage_error(fmt::format("--set-size: '{}'", text),
                    fmt::format("expected a whole number from 1 to {}", kLargestSetSize));
}

}  // namespace

void CoverageArguments::declare(Arguments& arguments) {
  arguments.option(
      "--coverage", "SHARE", coverage_,
      "answer with nodes that contain the truth with at least this probability, such as 0.9; the model was "
      "trained with --conformal");
  arguments.option("--set-size", "COUNT", set_size_,
                   fmt::format("with --coverage: an answer has at most this many nodes (1 to {}), default 1, or {} if "
                               "samples have several labels",
                               kLargestSetSize, kLargestSetSize));
  arguments.parameters("Answers with a guarantee", ParameterTable(options_));
}

std::optional<CoverageOptions> CoverageArguments::options() const {
  if (coverage_.empty()) {
    if (!set_size_.empty() || options_.guarantee != CoverageOptions{}.guarantee) {
      throw usage_error("--set-size and --guarantee have no effect", "expected --coverage with them");
    }
    return std::nullopt;
  }
  CoverageOptions options = options_;
  options.coverage = coverage_of(coverage_);
  if (!set_size_.empty()) options.set_size = set_size_of(set_size_);
  return options;
}

}  // namespace clade::cli
