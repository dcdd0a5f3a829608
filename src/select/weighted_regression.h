#pragma once

#include "math/dense.h"
#include "select/node_matrix.h"

namespace clade {

// The regression that reweighting methods solve repeatedly:
//
//   min_W  sum_i e_i ||w(x_i) - y_i||^2 + ridge sum_j ||w_j||^2 / c_j        w(x) = sum_j x_j w_j
//
// with weights e_i > 0 of samples and c_j >= 0 of features; a feature with c_j = 0 has w_j = 0. Solved by Cholesky in
// the smaller of the two sizes, with C = diag(c), E = diag(e):
//
//   features <= samples:  W = C^1/2 (C^1/2 X'E X C^1/2 + ridge I)^-1 C^1/2 X'E Y
//   features >  samples:  W = C X'E^1/2 T,  T = (E^1/2 X C X'E^1/2 + ridge I)^-1 E^1/2 Y,  and X W = Y - ridge E^-1/2 T
//
// Y has a column per sample and W a column per feature. O(n p min(n, p)) to factor; memory for min(n, p)^2 numbers, and
// as much again for X'E X if it is kept.
class WeightedRegression {
 public:
  enum class Gram {
    kMadeAnew,  // in every factor()
    kKept,      // for the next factor() with the same e
  };
  WeightedRegression(const NodeMatrix& x, double ridge, Gram gram) : x_(x), asked_ridge_(ridge), kind_(gram) {}

  // False if rounding makes the system indefinite, because values are large compared with the ridge.
  bool factor(const Vector& e, const Vector& c, Context& ctx);
  // The same, but if rounding makes the system indefinite, with a larger ridge: the first of a rising sequence that
  // works. False if none does.
  bool factor_with_larger_ridge(const Vector& e, const Vector& c, Context& ctx);
  double ridge() const { return ridge_; }  // the one in use

  struct Solution {
    Matrix weights;   // W
    Matrix fitted;    // w(x_i), a column per sample
    Matrix residual;  // w(x_i) - y_i, with all its digits even if it is small
  };
  // For the weights that were factored last.
  Solution solve(const Matrix& y, Context& ctx) const;

  // Bytes that it takes besides the data.
  static double memory(Index samples, Index features, Gram gram);

 private:
  bool by_features() const { return x_.features() <= x_.samples(); }
  // The system without its ridge, lower triangle; takes the place of the factor.
  void assemble(const Vector& e, const Vector& c, Context& ctx);

  const NodeMatrix& x_;
  double asked_ridge_;
  Gram kind_;
  double ridge_ = 0;
  Vector e_;
  Vector c_;
  Matrix gram_;  // X'E X, if it is kept
  Matrix factor_;
};

// ||w_j|| of every column.
Vector column_norms(const Matrix& w);

}  // namespace clade
