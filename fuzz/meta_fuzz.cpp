// Meta files, read beside a data file of three samples.

#include <clade/error.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "io/meta.h"

namespace {

clade::ParsedData three_samples() {
  clade::ParsedData parsed;
  clade::SparseMatrix<double> matrix{3, 2, clade::Buffer<clade::Index>(4), {}, {}};
  std::ranges::fill(matrix.offsets, clade::Index{0});
  parsed.features = std::move(matrix);
  for (int s = 0; s < 3; ++s) parsed.labels.end_sample();
  return parsed;
}

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = clade::Input::from_bytes("a.svm.meta.json", {reinterpret_cast<const char*>(data), size});
  try {
    clade::ParsedData parsed = three_samples();
    clade::apply_meta(input, parsed);
    require(clade::row_count(parsed.features) == 3 && parsed.labels.samples() == 3);
    require(clade::column_count(parsed.features) >= 2);
    require(parsed.sample_names.empty() || parsed.sample_names.size() == 3);
    if (parsed.hierarchy) parsed.hierarchy->build();
  } catch (const clade::Error& error) {
    require(error.kind() == clade::Error::Kind::kInput);
  }
  return 0;
}
