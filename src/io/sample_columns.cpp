#include "io/sample_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "io/lines.h"
#include "io/number.h"

namespace clade {

void for_each_sample_line(const Input& input, Index samples, std::string_view what, std::string_view header,
                          const std::function<void(std::string_view, Index)>& visit) {
  std::string_view rest = without_byte_order_mark(input.bytes());
  Index found = 0;
  for (Index line = 1; !rest.empty(); ++line) {
    const std::string_view text = trim(take_line(rest));
    if (line == 1 && text == header) continue;
    if (text.empty() && trim(rest).empty()) break;
    if (found == samples) {
      throw input_error(input.at_line(line), fmt::format("more {} than samples", what),
                        fmt::format("expected {} lines", samples));
    }
    visit(text, line);
    ++found;
  }
  if (found < samples) {
    throw input_error({.file = input.name()}, fmt::format("{} for {} samples", what, found),
                      fmt::format("expected {}, one line for each sample of the data", samples));
  }
}

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

std::vector<double> parse_sample_weights(const Input& input, Index samples) {
  std::vector<double> weights;
  for_each_sample_line(input, samples, "weights", "weight", [&](std::string_view text, Index line) {
    double weight = 0;
    if (parse_whole_number(text, weight) != NumberStatus::kOk || weight < 0) {
      throw input_error(input.at_line(line), fmt::format("'{}' is no weight", shown(text)),
                        "expected a number that is not negative");
    }
    weights.push_back(weight);
  });
  if (std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0; })) {
    throw input_error({.file = input.name()}, "all weights are 0", "expected a sample that counts");
  }
  return weights;
}

std::vector<double> read_sample_weights(const std::string& path, Index samples, Context& ctx) {
  return parse_sample_weights(Input::open(path, ctx), samples);
}

}  // namespace clade
