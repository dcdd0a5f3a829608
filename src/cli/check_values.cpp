#include "cli/check_values.h"

#include <clade/error.h>
#include <fmt/core.h>

#include <filesystem>

namespace clade::cli {
namespace {

// Labels without separators between them are whole cells; everywhere else nothing means nothing.
constexpr std::string_view kMayBeEmpty = "--label-separators";
constexpr std::string_view kBesideData = ".meta.json";

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;  // of files that do not exist yet, their places decide
  return std::filesystem::equivalent(a, b, ignored) ||
         std::filesystem::weakly_canonical(a, ignored) == std::filesystem::weakly_canonical(b, ignored);
}

bool overwrite_each_other(const std::string& a, const std::string& b) {
  if (a == "-" || b == "-" || is_same_file(a, "/dev/null")) return false;
  return is_same_file(a, b) || is_same_file(a + std::string(kBesideData), b) ||
         is_same_file(a, b + std::string(kBesideData));
}

}  // namespace

void check_values(std::span<const GivenValue> given) {
  for (const GivenValue& one : given) {
    if (one.value.empty() && one.option->long_flag() != kMayBeEmpty) {
      throw usage_error(fmt::format("{}: the value is empty", one.option->long_flag()), "expected one, or no option");
    }
  }
  for (std::size_t k = 0; k < given.size(); ++k) {
    if (!given[k].option->is_output) continue;
    for (std::size_t other = 0; other < k; ++other) {
      if (!given[other].option->is_output || !overwrite_each_other(given[other].value, given[k].value)) continue;
      throw input_error({.file = given[k].value},
                        fmt::format("is named for two outputs, {} and {}", given[other].option->long_flag(),
                                    given[k].option->long_flag()),
                        "expected a file for each");
    }
  }
}

void check_positionals(const CommandPage& page, std::span<const std::string> values) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!values[k].empty()) continue;
    throw usage_error(fmt::format("{}: the value is empty", page.positionals[k].name), "expected a name");
  }
}

}  // namespace clade::cli
