#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <vector>

#include "math/sparse.h"

namespace clade {

// The features of a data set as columns about their means; sparse ones stay sparse.
class CentredColumns {
 public:
  explicit CentredColumns(const Dataset& data);

  Index samples() const { return samples_; }
  Index features() const { return means_.size(); }
  // X v and X'v about the means.
  Vector column(Index feature) const;
  Vector transposed_times(const Vector& v) const;

  // Bytes it takes beside the data.
  static double memory(const Dataset& data);

 private:
  Index samples_;
  Matrix dense_;          // centred
  SparseColumns sparse_;  // as it is
  bool is_sparse_;
  Vector means_;
};

// Least-angle regression (B. Efron, T. Hastie, I. Johnstone, R. Tibshirani, 2004), lasso form: follows the minimiser of
//
//   1/2 ||y - X a||^2 + lambda ||a||_1
//
// as lambda falls from where a = 0, and returns a as it is when one more feature than `nonzeros` would enter, or at
// lambda = 0. Features enter and leave one by one. Of features that are equally correlated with what is left of y,
// that with the lower number enters first; one that others already in span (a copy, say) never does.
//
// O(steps x (values of X + steps^2)).
Vector lasso_by_lars(const CentredColumns& x, const Vector& y, Index nonzeros, Context& ctx);

}  // namespace clade
