// Any bytes as LIBSVM must be read, or refused as bad input. The first byte sets options and cuts, so that chunk
// borders fall everywhere.
#include <clade/error.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "io/libsvm/libsvm.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

template <class T>
void check_rows(const clade::SparseMatrix<T>& matrix) {
  require(matrix.offsets.size() == matrix.rows + 1 && matrix.offsets[0] == 0);
  require(matrix.nonzeros() == matrix.indices.size() && matrix.nonzeros() == matrix.values.size());
  for (clade::Index row = 0; row < matrix.rows; ++row) {
    require(matrix.offsets[row] <= matrix.offsets[row + 1]);
    clade::FeatureIndex previous = -1;
    for (const clade::FeatureIndex column : matrix.row_indices(row)) {
      require(column > previous && column < matrix.columns);
      previous = column;
    }
  }
}

void check(const clade::ParsedData& data) {
  require(data.labels.samples() == clade::row_count(data.features));
  for (clade::Index sample = 0; sample < data.labels.samples(); ++sample) {
    for (const std::int32_t label : data.labels.of(sample)) {
      require(label >= 0 && static_cast<std::size_t>(label) < data.labels.names().size());
    }
  }
  if (const auto* wide = std::get_if<clade::SparseMatrix<double>>(&data.features)) check_rows(*wide);
  if (const auto* narrow = std::get_if<clade::SparseMatrix<float>>(&data.features)) check_rows(*narrow);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static clade::Context ctx([] {
    clade::Context::Options options;
    options.threads = 1;
    return options;
  }());
  const unsigned choice = size > 0 ? bytes[0] : 0;
  clade::ReadOptions options;
  options.zero_based = (choice & 1U) != 0;
  options.sort_features = (choice & 2U) != 0;
  options.precision = (choice & 4U) != 0 ? clade::Precision::kFloat : clade::Precision::kDouble;
  options.features = (choice & 8U) != 0 ? 1000 : 0;
  const std::size_t chunk_bytes = (choice & 16U) != 0 ? choice >> 5U : std::size_t{1} << 20U;
  const std::string_view text(reinterpret_cast<const char*>(bytes) + (size > 0 ? 1 : 0), size > 0 ? size - 1 : 0);
  try {
    check(read_libsvm_in_chunks(clade::Input::from_bytes("fuzz.svm", text), options, ctx, chunk_bytes));
  } catch (const clade::Error& e) {
    require(e.kind() == clade::Error::Kind::kInput || e.kind() == clade::Error::Kind::kSystem);
  }
  return 0;
}
