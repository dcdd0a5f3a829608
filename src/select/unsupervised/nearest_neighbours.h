#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <span>
#include <vector>

namespace clade {

// For every sample the same number of other samples, nearest first by Euclidean distance; of equally near ones, the
// lower number first.
struct NearestNeighbours {
  Index count = 0;  // per sample
  std::vector<Index> neighbours;
  std::vector<double> squares;  // squared distances, in the same order

  Index samples() const { return count == 0 ? 0 : static_cast<Index>(neighbours.size()) / count; }
  std::span<const Index> of(Index sample) const { return {neighbours.data() + sample * count, size()}; }
  std::span<const double> squares_of(Index sample) const { return {squares.data() + sample * count, size()}; }

 private:
  std::size_t size() const { return static_cast<std::size_t>(count); }
};

// Compares every sample with every other: matrix products of blocks (dense) or of sparse rows give squared distances
// with a bound on their rounding, and whatever the bound leaves undecided is recomputed from differences of values. So
// copies of a sample are at distance exactly 0, the squares are those of the differences, and ties stay ties.
//
// O(samples^2 x features), or samples x non-zeros; memory for a block of 256 x 512 samples, and a copy of dense data.
// `count` must be less than the number of samples.
NearestNeighbours nearest_neighbours(const Dataset& data, Index count, Context& ctx);

// Bytes that the search takes besides the data.
double neighbour_search_memory(const Dataset& data);

// ||x_i - x_j||^2 from the differences of values; the same for (j, i), to the last bit.
double squared_distance(const Dataset& data, Index i, Index j);

}  // namespace clade
