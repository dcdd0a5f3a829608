#pragma once

#include <clade/context.h>

#include <span>
#include <vector>

#include "classify/linear/hinge_dual.h"
#include "math/dense.h"

namespace clade {

// Many two-class linear SVMs with squared hinge loss over the same dense rows of few columns:
//
//   min_w  1/2 ||w||^2 + sum_i c_i max(0, 1 - y_i w . x_i)^2,   c_i = c weight_i,   x with the constant feature
//
// by Newton steps (S. S. Keerthi, D. DeCoste, 2005). For given rows A with a loss the minimum is that of least squares,
// (I + 2 sum_A c_i x_i x_i') w = 2 sum_A c_i y_i x_i; a step goes there, or only part of the way if the objective would
// not decrease enough, and then A is found anew. The first A is that of least squares over all rows, which all problems
// share. Only rows that enter or leave A change the matrix. Steps end when A stays the same, which is the exact
// solution, or when the projected gradients of the dual at a_i = 2 c_i max(0, 1 - y_i w . x_i) spread no wider than the
// tolerance.
//
// O(rows x columns^2) at most for the first step of a problem, usually a fraction of that for each other.
class NewtonHinge {
 public:
  // Does this suit the rows? They must be dense, and many more than columns.
  static bool suits(const TrainingRows& rows, const HingeOptions& options);

  // `weight` has a factor of C per row; empty: 1. The rows are copied.
  NewtonHinge(const TrainingRows& rows, std::span<const double> weight, const HingeOptions& options, Context& ctx);

  struct Solution {
    std::vector<double> w;
    double bias = 0;  // the decision is w . x + bias
    double objective = 0;
    int iterations = 0;
    bool has_converged = false;
    std::vector<double> held_out;  // of the rows asked for
  };
  // `positives` are rows, ascending; all others are negative. For the rows `held_out` it also gives the decisions of
  // the solutions without them, each left out alone:
  //
  //   f(x) - a y h / (1 - 2 c h),   h = x' H^-1 x,   H the matrix above;
  //
  // exact as long as the others in A stay the same. Values beyond the range of numbers give weights that are NaN. May
  // be called from several threads.
  Solution solve(std::span<const Index> positives, std::span<const Index> held_out, Context& ctx) const;

 private:
  class Descent;
  Matrix x_;     // columns are rows of the data, with the constant feature
  Vector cost_;  // 2 c_i
  Matrix all_;   // lower triangle of I + sum_i 2 c_i x_i x_i', and its factor
  Matrix factor_;
  Vector sum_;          // sum_i 2 c_i x_i
  double longest_ = 0;  // ||x_i||
  bool is_finite_ = true;
  HingeOptions options_;
};

}  // namespace clade
