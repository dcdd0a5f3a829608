#pragma once

#include <clade/context.h>

#include "induce/centroid_gram.h"
#include "induce/condensed_distances.h"

namespace clade {

// Euclidean distances between centroids by their inner products,
//
//   d(k, l)² = <c_k, c_k> + <c_l, c_l> - 2 <c_k, c_l>                    (Cai, thesis, equation 6.1)
//
// relative error about 1e-12: where that difference would lose more digits, near_square() is asked. Throws Error
// (kInput) where values are too large to compute with. Cost: O(q² p) at the speed of matrix products for dense
// centroids; memory for a tile per thread beside the result.
CondensedDistances euclidean_distances(const CentroidGram& gram, Context& ctx);

}  // namespace clade
