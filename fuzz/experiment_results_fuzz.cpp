#include <algorithm>

#include "array_fuzz.h"
#include "experiment/experiment_results.h"

// summary.json and results.csv, with a byte of 0 between them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clade;
  return fuzz_bytes(data, size, [](std::string_view bytes) {
    const std::size_t end = std::min(bytes.find('\0'), bytes.size());
    const std::string_view table = bytes.substr(std::min(end + 1, bytes.size()));
    const ExperimentResults results = parse_experiment_results(Input::from_bytes("summary.json", bytes.substr(0, end)),
                                                               Input::from_bytes("results.csv", table));
    require(!results.methods.empty() && !results.datasets.empty());
    for (const ResultFold& fold : results.folds) {
      require(fold.dataset < results.datasets.size() && fold.method < results.methods.size());
      require(fold.values.size() == results.measures.size() && fold.samples > 0);
    }
  });
}
