#include "io/sample_weights/sample_weights.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/lines.h"
#include "io/number.h"
#include "io/sample_lines.h"

namespace clade {

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
