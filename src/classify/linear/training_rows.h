#pragma once

#include <clade/dataset.h>

#include <memory>
#include <span>
#include <vector>

#include "classify/linear/row_maker.h"
#include "core/raw_vector.h"
#include "data/node_table.h"

namespace clade {

// The samples of one node, copied for a solver that passes over them many times: compressed rows over the features that
// occur in them (or over a given choice), renumbered. Even nearly full rows take this form, so that a solver has only
// one inner loop.
//
// Where a solver allows it and copies would not fit into memory, `maker` makes every row when it is asked for, with the
// same values. A row is then valid for the thread that asked for it until it has asked for RowMaker::kKept others.
struct TrainingRows {
  std::vector<FeatureIndex> features;  // local column -> feature of the data, ascending
  // The copies; nothing if rows are made.
  std::vector<Index> offsets{0};    // rows + 1
  RawVector<std::int32_t> columns;  // local, ascending within a row
  RawVector<double> values;
  std::shared_ptr<const RowMaker> maker;

  Index rows() const { return maker ? maker->rows() : static_cast<Index>(offsets.size()) - 1; }
  Index width() const { return static_cast<Index>(features.size()); }
  // O(non-zeros) if rows are made.
  Index nonzeros() const;
  std::span<const std::int32_t> columns_of(Index row) const {
    if (maker) return maker->row(row).columns;
    const auto r = static_cast<std::size_t>(row);
    return {columns.data() + offsets[r], static_cast<std::size_t>(offsets[r + 1] - offsets[r])};
  }
  std::span<const double> values_of(Index row) const {
    if (maker) return maker->row(row).values;
    const auto r = static_cast<std::size_t>(row);
    return {values.data() + offsets[r], static_cast<std::size_t>(offsets[r + 1] - offsets[r])};
  }
  // Appends a copy of a row of `from`, which has the same columns.
  void append(const TrainingRows& from, Index row);
  // Gives the columns other numbers: column c becomes place[c]. These ascend, and `features` are those of all new ones.
  void renumber(std::span<const std::int32_t> place, std::vector<FeatureIndex> new_features);
};

// The given samples of the data set, in that order. O(their non-zeros).
TrainingRows training_rows(const Dataset& data, std::span<const Index> samples, const RowOptions& options,
                           Context& ctx);

// The same rows with one more column, the last, that has this value in all rows; 0: no column is added.
TrainingRows with_constant(const TrainingRows& rows, double value);

// Weights of several linear functions over the same local columns: output o of a row x is bias[o] + w[o] . x.
struct LinearWeights {
  std::vector<std::vector<double>> w;  // outputs x columns
  std::vector<double> bias;            // outputs
};

}  // namespace clade
