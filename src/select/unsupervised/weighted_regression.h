#pragma once

#include "math/dense.h"
#include "select/filter/node_matrix.h"

namespace clade {

// The regression that reweighting methods solve again and again:
//
//   min_W  sum_i e_i ||w(x_i) - y_i||^2 + beta sum_j ||w_j||^2 / c_j        w(x) = sum_j x_j w_j
//
// with weights e_i > 0 of samples and c_j >= 0 of features; a feature with c_j = 0 has w_j = 0. Solved by Cholesky in
// the smaller of its two sizes, with C = diag(c), E = diag(e):
//
//   features <= samples:  W = C^1/2 (C^1/2 X'E X C^1/2 + beta I)^-1 C^1/2 X'E Y
//   features >  samples:  W = C X'E^1/2 T,  T = (E^1/2 X C X'E^1/2 + beta I)^-1 E^1/2 Y,  and X W = Y - beta E^-1/2 T
//
// Y has a column per sample and W a column per feature. O(n p min(n, p)) to factor; memory min(n, p)^2 numbers, twice
// where features are fewer.
class WeightedRegression {
 public:
  WeightedRegression(const NodeMatrix& x, double beta) : x_(x), beta_(beta) {}

  void factor(const Vector& e, const Vector& c, Context& ctx);

  struct Solution {
    Matrix weights;  // W
    Matrix fitted;   // w(x_i), a column per sample
  };
  // For the weights that factor() was called with.
  Solution solve(const Matrix& y, Context& ctx) const;

  // Bytes it takes beside the data.
  static double memory(Index samples, Index features);

 private:
  bool by_features() const { return x_.features() <= x_.samples(); }

  const NodeMatrix& x_;
  double beta_;
  Vector e_;
  Vector c_;
  Matrix gram_;  // X'E X, where features are fewer
  Matrix factor_;
};

// ||w_j|| of every column.
Vector column_norms(const Matrix& w);

}  // namespace clade
