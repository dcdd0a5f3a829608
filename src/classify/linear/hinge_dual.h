#pragma once

#include <clade/context.h>

#include <span>
#include <vector>

#include "classify/linear/training_rows.h"

namespace clade {

enum class Loss {
  kHinge,         // max(0, 1 - m)
  kSquaredHinge,  // max(0, 1 - m)^2
};

struct HingeOptions {
  double c = 1;
  Loss loss = Loss::kHinge;
  double bias = 1;         // value of a feature that all rows share; 0: none
  double tolerance = 0.1;  // spread of the projected gradients
  int iterations = 1000;   // passes at most
  std::uint64_t seed = 1;
  std::uint64_t stream = 0;  // of random numbers: a different one for each problem that uses the seed
  // Values of rows that one_vs_rest_dual() visits at one go, in random order.
  Index block = Index{1} << 24U;
};

struct HingeResult {
  std::vector<double> w;  // per column
  double bias = 0;        // the decision is w . x + bias
  std::vector<double> alpha;
  double objective = 0;  // primal
  double gap = 0;        // primal - dual
  int iterations = 0;
  bool has_converged = false;
};

// Two-class linear SVM:
//
//   min_w  1/2 ||w||^2 + sum_i c_i loss(y_i w . x_i),   c_i = c weight_i,   x with the constant feature
//
// by coordinate descent in the dual with shrinking (C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi,
// S. Sundararajan, 2008): one variable at a time,
//
//   a_i <- clip(a_i - G_i / Q_ii, 0, c_i),   G_i = y_i w . x_i - 1 (+ a_i / (2 c_i) for the squared loss, without the
//   upper bound),   w <- w + (change) y_i x_i
//
// in a random order that is new in every pass; variables at a bound whose gradient points outwards are left out until
// the rest is solved. `sign` has +1 or -1 for every row, `weight` a factor of C each (empty: 1), `start` the initial
// alpha (empty: 0). One pass costs O(non-zeros of the rows that are still in).
HingeResult hinge_dual(const TrainingRows& rows, std::span<const std::int8_t> sign, std::span<const double> weight,
                       std::span<const double> start, const HingeOptions& options, Context& ctx);

}  // namespace clade
