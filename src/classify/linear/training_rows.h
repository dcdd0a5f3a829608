#pragma once

#include <clade/dataset.h>

#include <span>
#include <vector>

#include "data/node_table.h"

namespace clade {

// The samples of one node, copied for a solver that passes over them many times: compressed rows over the features that
// occur in them (or over a given choice), renumbered. Even nearly full rows take this form, so that a solver has only
// one inner loop.
struct TrainingRows {
  std::vector<FeatureIndex> features;  // local column -> feature of the data, ascending
  std::vector<Index> offsets{0};       // rows + 1
  std::vector<std::int32_t> columns;   // local, ascending within a row
  std::vector<double> values;

  Index rows() const { return static_cast<Index>(offsets.size()) - 1; }
  Index width() const { return static_cast<Index>(features.size()); }
  std::span<const std::int32_t> columns_of(Index row) const {
    const auto r = static_cast<std::size_t>(row);
    return {columns.data() + offsets[r], static_cast<std::size_t>(offsets[r + 1] - offsets[r])};
  }
  std::span<const double> values_of(Index row) const {
    const auto r = static_cast<std::size_t>(row);
    return {values.data() + offsets[r], static_cast<std::size_t>(offsets[r + 1] - offsets[r])};
  }
  // Appends a copy of a row of `from`, which has the same columns.
  void append(const TrainingRows& from, Index row);
};

struct FeatureScale;

struct RowOptions {
  std::span<const FeatureIndex> features;  // ascending; empty: all that occur
  bool has_unit_length = false;            // scale every sample to length 1, by all its features
  const FeatureScale* scale = nullptr;     // of dense data; null: none
};

// The given samples of the data set, in that order. O(their non-zeros).
TrainingRows training_rows(const Dataset& data, std::span<const Index> samples, const RowOptions& options);

// The same rows with one more column, the last, that has this value in all rows; 0: no column is added.
TrainingRows with_constant(const TrainingRows& rows, double value);

// Weights of several linear functions over the same local columns: output o of a row x is bias[o] + w[o] . x.
struct LinearWeights {
  std::vector<std::vector<double>> w;  // outputs x columns
  std::vector<double> bias;            // outputs
};

}  // namespace clade
