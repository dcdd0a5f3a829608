#include <cmath>

#include "array_fuzz.h"
#include "experiment/results_table.h"

// The first byte chooses the measure and how missing values are treated.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clade;
  if (size == 0) return 0;
  const char* metric = (data[0] & 1U) != 0 ? "f1" : "";
  const auto choice = static_cast<Incomplete>(data[0] >> 1U & 3U);
  return fuzz_bytes(data + 1, size - 1, [&](std::string_view bytes) {
    const ResultsTable table = with_incomplete(parse_results_table(Input::from_bytes("fuzz", bytes), metric), choice);
    require(table.datasets.size() >= 2 && table.methods.size() >= 2);
    require(table.values.size() == table.datasets.size() * table.methods.size());
    for (const double value : table.values) {
      require(std::isfinite(value) || (choice == Incomplete::kWorst && std::isnan(value)));
    }
  });
}
