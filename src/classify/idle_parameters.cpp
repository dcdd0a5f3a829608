#include "classify/idle_parameters.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace clade {
namespace {

// A parameter that counts only where another has one of these values.
struct Needs {
  std::string_view name;
  std::string_view other;
  std::array<std::string_view, 3> values;
};
constexpr Needs kNeeds[] = {
    {"degree", "kernel", {"polynomial"}},
    {"coef0", "kernel", {"polynomial"}},
    {"gamma", "kernel", {"polynomial", "rbf", "exponential"}},
    {"subsequence-length", "kernel", {"subsequence"}},
    {"decay", "kernel", {"subsequence"}},
    {"missed-cost", "loss", {"weighted"}},
    {"extra-cost", "loss", {"weighted"}},
};

// One that does not count where another has this value; `expected` says what to do about it.
struct Idle {
  std::string_view name;
  std::string_view other;
  std::string_view value;
  std::string_view expected;
};
constexpr Idle kIdle[] = {
    {"calibration-folds", "calibrate", "none", "expected `calibrate` with it"},
    {"c-folds", "c-grid", "", "expected `c-grid` with it"},
    {"kernel-cache", "kernel", "linear", "expected another `kernel` with it"},
    {"loss", "multiclass", "one-vs-one", "expected `multiclass` one-vs-rest with it"},
    {"loss", "multiclass", "crammer-singer", "expected `multiclass` one-vs-rest with it"},
    {"bias", "multiclass", "one-vs-one", "expected another `multiclass` with it"},
};

// One that another replaces.
struct Replaced {
  std::string_view name;
  std::string_view by;
};
constexpr Replaced kReplaced[] = {
    {"c", "c-grid"},
    {"loss", "loss-matrix"},
    {"attributes", "class-attributes"},
    {"attributes", "class-similarity"},
};

std::optional<std::string> value_of(const ParameterTable& table, std::string_view name) {
  const auto found = std::ranges::find(table.parameters(), name, &Parameter::name);
  if (found == table.parameters().end()) return std::nullopt;
  return found->get();
}

std::string joined_words(const std::array<std::string_view, 3>& words) {
  std::string text;
  for (const std::string_view word : words) {
    if (word.empty()) break;
    text += (text.empty() ? "" : ", ") + std::string(word);
  }
  return text;
}

}  // namespace

void refuse_idle_parameters(const Parameters& given, const ParameterTable& table) {
  const auto is_given = [&](std::string_view name) { return given.contains(std::string(name)); };
  for (const Needs& rule : kNeeds) {
    const auto value = value_of(table, rule.other);
    if (!is_given(rule.name) || !value || std::ranges::find(rule.values, *value) != rule.values.end()) continue;
    throw usage_error(fmt::format("`{}` has no effect with `{}` {}", rule.name, rule.other, *value),
                      fmt::format("expected `{}` {}", rule.other, joined_words(rule.values)));
  }
  for (const Idle& rule : kIdle) {
    if (!is_given(rule.name) || value_of(table, rule.other) != rule.value) continue;
    throw usage_error(rule.value.empty()
                          ? fmt::format("`{}` has no effect", rule.name)
                          : fmt::format("`{}` has no effect with `{}` {}", rule.name, rule.other, rule.value),
                      rule.expected);
  }
  for (const Replaced& rule : kReplaced) {
    if (!is_given(rule.name) || value_of(table, rule.by).value_or("").empty()) continue;
    throw usage_error(fmt::format("`{}` has no effect: `{}` is used instead of it", rule.name, rule.by),
                      "expected one of them");
  }
}

}  // namespace clade
