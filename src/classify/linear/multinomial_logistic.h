#pragma once

#include <clade/context.h>

#include <span>

#include "classify/linear/training_rows.h"

namespace clade {

struct LogisticOptions {
  double c = 1;
  bool has_bias = true;     // not penalised
  double tolerance = 1e-4;  // of the largest entry of the gradient, relative to that at zero weights
  int iterations = 200;
};

struct LogisticResult {
  LinearWeights weights;
  double objective = 0;
  double gradient = 0;  // largest entry
  int iterations = 0;
  bool has_converged = false;
};

// Multinomial logistic regression:
//
//   min_W  1/2 sum_m ||w_m||^2 + sum_i c_i [log sum_m exp(w_m . x_i + b_m) - w_{y_i} . x_i - b_{y_i}],   c_i = c
//   weight_i
//
// by Newton steps (softmax_newton.h) where data are sparse, checked and if need be improved by limited-memory BFGS,
// which solves the problem alone where they are dense. `label` has the class (0 .. classes - 1) of every row, `weight`
// a factor of C each (empty: 1). Parallel over rows in fixed chunks: the result is the same for any number of threads.
LogisticResult multinomial_logistic(const TrainingRows& rows, std::span<const std::int32_t> label, Index classes,
                                    std::span<const double> weight, const LogisticOptions& options, Context& ctx);

}  // namespace clade
