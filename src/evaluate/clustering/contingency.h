#pragma once

#include <clade/types.h>

#include <span>
#include <vector>

namespace clade {

// How often each class meets each cluster: only pairs that occur, so that memory is linear in the samples however many
// classes and clusters there are. Both are renumbered 0, 1, ... in ascending order of the numbers given.
struct Contingency {
  struct Cell {
    Index row = 0;     // class
    Index column = 0;  // cluster
    Index samples = 0;
  };
  std::vector<Cell> cells;  // by row, then by column
  std::vector<Index> rows;  // samples of each class
  std::vector<Index> columns;
  Index samples = 0;

  // Throws Error (kInput) if there are no samples, as many classes as clusters are not given, or a number is negative.
  static Contingency of(std::span<const Index> classes, std::span<const Index> clusters);
};

}  // namespace clade
