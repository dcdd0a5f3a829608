#pragma once

#include <clade/error.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "io/text/text_source.h"

namespace clade::fuzz {

inline void require(bool condition) {
  if (!condition) std::abort();
}

inline Context& context() {
  static Context ctx({.threads = 1});
  return ctx;
}

// Everything that could go wrong in one go: no word is dropped, all of them are stemmed.
inline ReadOptions stemming_options() {
  ReadOptions options;
  options.text.min_word_length = 1;
  options.text.stop_words = StopWords::kNone;
  options.text.stem = "english";
  return options;
}

inline void check(const SparseMatrix<double>& matrix) {
  require(matrix.offsets.size() == matrix.rows + 1 && matrix.offsets[0] == 0);
  for (Index r = 0; r < matrix.rows; ++r) {
    require(matrix.offsets[r] <= matrix.offsets[r + 1]);
    FeatureIndex last = -1;
    for (const FeatureIndex column : matrix.row_indices(r)) {
      require(column > last && column < matrix.columns);
      last = column;
    }
    for (const double value : matrix.row_values(r)) require(std::isfinite(value) && value > 0);
  }
}

inline void check(const ParsedData& data) {
  const auto& matrix = std::get<SparseMatrix<double>>(data.features);
  check(matrix);
  require(data.labels.samples() == matrix.rows);
  require(data.sample_names.empty() || static_cast<Index>(data.sample_names.size()) == matrix.rows);
  require(static_cast<Index>(data.feature_names.size()) == matrix.columns);
  require(data.vectorizer != nullptr && data.vectorizer->words == data.feature_names);
  for (std::size_t w = 1; w < data.feature_names.size(); ++w)
    require(data.feature_names[w - 1] < data.feature_names[w]);
}

// Symbols from the first position on, without a gap.
inline void check_sequences(const ParsedData& data) {
  const auto& matrix = std::get<SparseMatrix<double>>(data.features);
  check(matrix);
  require(data.labels.samples() == matrix.rows && data.feature_names.empty());
  require(data.vectorizer != nullptr && data.vectorizer->options.sequences);
  Index longest = 0;
  for (Index r = 0; r < matrix.rows; ++r) {
    const auto length = static_cast<Index>(matrix.row_indices(r).size());
    require(length == 0 || matrix.row_indices(r).back() == length - 1);
    for (const double symbol : matrix.row_values(r)) require(symbol <= 0x10FFFF && symbol == std::floor(symbol));
    longest = std::max(longest, length);
  }
  require(longest == matrix.columns);
}

// Runs a reader; bad input is its right, anything else is a finding.
template <class Reader, class Check>
void survive(const Reader& reader, const Check& check_result) {
  try {
    check_result(reader());
  } catch (const Error& error) {
    require(error.kind() == Error::Kind::kInput || error.kind() == Error::Kind::kSystem);
  }
}
template <class Reader>
void survive(const Reader& reader) {
  survive(reader, [](const ParsedData& data) { check(data); });
}
template <class Reader>
void survive_sequences(const Reader& reader) {
  survive(reader, check_sequences);
}

}  // namespace clade::fuzz
