#include <algorithm>
#include <cmath>

#include "array_fuzz.h"
#include "io/sample_columns.h"

// As many samples as lines, so that most inputs of numbers are valid weights.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clade;
  fuzz_bytes(data, size, [&](std::string_view bytes) {
    const Index samples = std::count(bytes.begin(), bytes.end(), '\n');
    const std::vector<double> weights = parse_sample_weights(Input::from_bytes("fuzz", bytes), samples);
    require(std::ssize(weights) == samples);
    for (const double weight : weights) require(std::isfinite(weight) && weight >= 0);
    require(std::any_of(weights.begin(), weights.end(), [](double weight) { return weight > 0; }));
  });
  return 0;
}
