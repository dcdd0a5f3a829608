#include <algorithm>

#include "array_fuzz.h"
#include "io/sample_columns.h"

// As many samples as lines, so that most inputs of numbers are valid folds.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clade;
  fuzz_bytes(data, size, [&](std::string_view bytes) {
    const Index samples = std::count(bytes.begin(), bytes.end(), '\n');
    const std::vector<Index> folds = parse_folds(Input::from_bytes("fuzz", bytes), samples);
    require(std::ssize(folds) == samples);
    for (const Index fold : folds) require(fold >= 0 && fold < samples);
  });
  return 0;
}
