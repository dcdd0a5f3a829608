#include "io/folds/folds.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "io/lines.h"

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
  std::string_view rest = without_byte_order_mark(input.bytes());
  std::vector<Index> folds;
  for (Index line = 1; !rest.empty(); ++line) {
    const std::string_view text = trim(take_line(rest));
    if (line == 1 && text == "fold") continue;
    if (text.empty() && trim(rest).empty()) break;
    if (static_cast<Index>(folds.size()) == samples) {
      throw input_error(input.at_line(line), "more folds than samples", fmt::format("expected {} lines", samples));
    }
    folds.push_back(parse_fold(input, text, line));
  }
  if (static_cast<Index>(folds.size()) < samples) {
    throw input_error({.file = input.name()}, fmt::format("folds for {} samples", folds.size()),
                      fmt::format("expected {}, one line for each sample of the data", samples));
  }
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
