#include "io/folds/folds.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "io/lines.h"
#include "io/sample_lines.h"

namespace clade {
namespace {

constexpr Index kLargestFold = 1000000;

Index parse_fold(const Input& input, std::string_view text, Index line) {
  Index fold = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fold);
  if (error != std::errc{} || end != text.data() + text.size() || fold < 0 || fold > kLargestFold) {
    throw input_error(input.at_line(line), fmt::format("'{}' is no fold", shown(text)),
                      fmt::format("expected a whole number from 0 to {}", kLargestFold));
  }
  return fold;
}

}  // namespace

std::vector<Index> parse_folds(const Input& input, Index samples) {
  std::vector<Index> folds;
  for_each_sample_line(input, samples, "folds", "fold",
                       [&](std::string_view text, Index line) { folds.push_back(parse_fold(input, text, line)); });
  std::vector<Index> numbers = folds;
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  for (Index& fold : folds) {
    fold = std::lower_bound(numbers.begin(), numbers.end(), fold) - numbers.begin();
  }
  return folds;
}

std::vector<Index> read_folds(const std::string& path, Index samples, Context& ctx) {
  return parse_folds(Input::open(path, ctx), samples);
}

}  // namespace clade
