#pragma once

#include <clade/context.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "io/parsed.h"

namespace clade {

inline void require(bool condition) {
  if (!condition) std::abort();
}

inline Context& fuzz_context() {
  static Context ctx(Context::Options{.threads = 1});
  return ctx;
}

template <class T>
void require_valid(const DenseMatrix<T>& matrix) {
  require(matrix.values.size() == matrix.rows * matrix.columns);
}

template <class T>
void require_valid(const SparseMatrix<T>& matrix) {
  require(matrix.offsets.size() == matrix.rows + 1 && matrix.offsets[0] == 0);
  require(matrix.indices.size() == matrix.offsets[matrix.rows] && matrix.values.size() == matrix.indices.size());
  for (Index r = 0; r < matrix.rows; ++r) {
    require(matrix.offsets[r] <= matrix.offsets[r + 1]);
    Index before = -1;
    for (const FeatureIndex column : matrix.row_indices(r)) {
      require(column > before && column < matrix.columns);
      before = column;
    }
  }
}

inline void require_valid(const LabelNames& labels, Index samples) {
  require(labels.samples() == samples);
  for (Index s = 0; s < samples; ++s) {
    for (const std::int32_t label : labels.of(s)) {
      require(label >= 0 && static_cast<std::size_t>(label) < labels.names().size());
    }
  }
}

inline void require_valid(const ParsedData& data) {
  std::visit([](const auto& matrix) { require_valid(matrix); }, data.features);
  require_valid(data.labels, row_count(data.features));
  require(data.feature_names.empty() || std::ssize(data.feature_names) == column_count(data.features));
  require(data.sample_names.empty() || std::ssize(data.sample_names) == row_count(data.features));
}

// Runs work(bytes), which may refuse the bytes with an input or system Error, and nothing else.
template <class Work>
int fuzz_bytes(const std::uint8_t* data, std::size_t size, Work&& work) {
  try {
    work(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const Error& error) {
    require(error.kind() == Error::Kind::kInput || error.kind() == Error::Kind::kSystem);
  }
  return 0;
}

}  // namespace clade
