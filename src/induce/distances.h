#pragma once

#include <clade/context.h>
#include <clade/types.h>

#include "induce/centroid_gram.h"

namespace clade {

// A distance for every pair of objects, each pair once: q (q - 1) / 2 doubles, the pairs (0, 1), (0, 2), ..., (1, 2),
// ...
class CondensedDistances {
 public:
  explicit CondensedDistances(Index objects) : objects_(objects), values_(count(objects)) {}

  static Index count(Index objects) { return objects * (objects - 1) / 2; }
  // The distance of i < j stands at row(i) + j. row(0) is -1.
  static Index row(Index i, Index objects) { return i * objects - i * (i + 1) / 2 - i - 1; }

  Index objects() const { return objects_; }
  double operator()(Index i, Index j) const {
    return i < j ? values_[row(i, objects_) + j] : values_[row(j, objects_) + i];
  }
  double* data() { return values_.data(); }
  const double* data() const { return values_.data(); }

 private:
  Index objects_;
  Buffer<double> values_;
};

// Euclidean distances between centroids by their inner products,
//
//   d(k, l)² = <c_k, c_k> + <c_l, c_l> - 2 <c_k, c_l>                    (Cai, thesis, equation 6.1)
//
// relative error about 1e-12: where that difference would lose more digits, near_square() is asked. Throws Error
// (kInput) where values are too large to compute with. Cost: O(q² p) at the speed of matrix products for dense
// centroids; memory for a tile per thread beside the result.
CondensedDistances euclidean_distances(const CentroidGram& gram, Context& ctx);

}  // namespace clade
