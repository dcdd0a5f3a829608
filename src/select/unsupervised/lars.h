#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <vector>

#include "math/sparse.h"

namespace clade {

// The features of a data set as columns with their means removed; sparse ones stay sparse.
class CentredColumns {
 public:
  explicit CentredColumns(const Dataset& data);

  Index samples() const { return samples_; }
  Index features() const { return means_.size(); }
  // X v and X'v, with the means removed from X.
  Vector column(Index feature) const;
  Vector transposed_times(const Vector& v) const;

  // Bytes that it takes besides the data.
  static double memory(const Dataset& data);

 private:
  Index samples_;
  Matrix dense_;          // centred
  SparseColumns sparse_;  // not centred
  bool is_sparse_;
  Vector means_;
};

// Least-angle regression (B. Efron, T. Hastie, I. Johnstone, R. Tibshirani, 2004), lasso form: follows the minimiser of
//
//   1/2 ||y - X a||^2 + lambda ||a||_1
//
// as lambda falls from where a = 0, and returns a when one more feature than `nonzeros` would enter, or at lambda = 0.
// Features enter and leave one by one. Of features equally correlated with the residual, the one with the lowest number
// enters first; a feature that those already in span (a copy, say) never enters.
//
// O(steps x (values of X + steps^2)).
Vector lasso_by_lars(const CentredColumns& x, const Vector& y, Index nonzeros, Context& ctx);

}  // namespace clade
