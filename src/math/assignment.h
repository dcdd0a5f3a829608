#pragma once

#include <clade/types.h>

#include <span>
#include <vector>

namespace clade {

// The assignment problem: gives each row of a cost matrix a column of its own, so that the sum of the costs is
// smallest.
//
// Shortest augmenting paths with dual prices (Jonker and Volgenant 1987; for rectangular matrices Crouse 2016): rows
// are added one by one, each along a shortest path, in reduced costs, to a column that is still free.
//
// `costs` is row-major, rows * columns, finite, of any sign; rows <= columns. Returns the column of every row. If
// several assignments are best, the one returned depends on the matrix alone. Throws Error (kInternal) if sizes do not
// fit or a cost is not finite. Cost: O(rows^2 columns) time, O(rows + columns) memory besides the matrix.
std::vector<Index> least_cost_assignment(std::span<const double> costs, Index rows, Index columns);

}  // namespace clade
