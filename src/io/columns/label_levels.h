#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/columns/cell_table.h"

namespace clade {

// Columns beside the label that are levels of its hierarchy: each value of the one goes with exactly one of the other.
// As features they would give the answer away, and new samples seldom have them.
struct LabelLevels {
  std::vector<Index> above;     // coarser than the label, the coarsest first
  std::vector<Index> below;     // finer
  std::vector<Index> doubtful;  // coarser, but their names tell nothing: ordinary categories may be like that

  bool has(Index column) const;
  // The names of the levels from the top down, as `label-levels` takes them.
  std::string list(const CellTable& records, Index label) const;
};

// The levels among `candidates`, columns of repeated values.
LabelLevels find_label_levels(const CellTable& records, Index label, std::span<const Index> candidates);

// What was found and done about it, with the option to type.
void note_label_levels(const LabelLevels& levels, const CellTable& records, Index label,
                       std::vector<std::string>& notes);

}  // namespace clade
