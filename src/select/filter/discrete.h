#pragma once

#include <clade/dataset.h>

#include <cstdint>
#include <vector>

#include "data/node_table.h"

namespace clade {

enum class Discretise { kEqualFrequency, kRound };

// A feature of a sub-table as small numbers 0 .. levels - 1, one byte each if they fit. If nearly all samples have the
// same level, only the others are listed, which keeps sparse data sparse.
struct DiscreteColumn {
  std::uint32_t levels = 1;
  bool listed = false;
  std::uint16_t common = 0;          // if listed: the level of all samples that `rows` does not name
  std::vector<std::uint32_t> rows;   // if listed: ascending
  std::vector<std::uint8_t> narrow;  // the levels of all samples, or of those listed, if there are up to 256;
  std::vector<std::uint16_t> wide;   // here if there are more
};

// One value of a column, with its row in the sub-table.
struct ColumnEntry {
  std::uint32_t row;
  double value;
};

// Discretises one column of `samples` values; those that `entries` (rows ascending) does not contain are 0.
//
// Equal frequency: if r of the n values are smaller, a value belongs to bin floor(r bins / n). So equal values share
// the bin of the first of them, and bins that stay empty are not levels. Round: every nearest integer (halves away from
// zero) is a level. Missing values are a level of their own. `entries` is used up.
// Throws Error (kInput), naming the feature, if there are more than 65,536 levels.
DiscreteColumn discretise(std::vector<ColumnEntry>& entries, Index samples, Discretise how, int bins,
                          const std::string& feature);

// All columns of a sub-table.
std::vector<DiscreteColumn> discretise(const Dataset& data, const NodeTable& table, Discretise how, int bins,
                                       Context& ctx);

}  // namespace clade
