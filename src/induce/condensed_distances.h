#pragma once

#include <clade/types.h>

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

}  // namespace clade
