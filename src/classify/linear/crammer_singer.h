#pragma once

#include <clade/context.h>

#include <span>

#include "classify/linear/training_rows.h"

namespace clade {

struct CrammerSingerOptions {
  double c = 1;
  double bias = 1;         // value of a feature that all rows have; 0: none
  double tolerance = 0.1;  // largest violation of optimality, as in liblinear's -s 4
  int iterations = 1000;   // passes at most
  std::uint64_t seed = 1;
};

struct CrammerSingerResult {
  LinearWeights weights;
  double objective = 0;  // primal
  double gap = 0;        // primal - dual
  int iterations = 0;
};

// Multi-class SVM (K. Crammer, Y. Singer, 2001):
//
//   min_W  1/2 sum_m ||w_m||^2 + sum_i c_i max_m [1 - [m = y_i] + w_m . x_i - w_{y_i} . x_i],   c_i = c weight_i
//
// by sequential dual: one sample's variables at a time, in closed form after sorting (S. S. Keerthi et al., 2008), with
// shrinking. `label` has the class (0 .. classes - 1) of every row, `weight` a factor of C each (empty: 1).
CrammerSingerResult crammer_singer(const TrainingRows& rows, std::span<const std::int32_t> label, Index classes,
                                   std::span<const double> weight, const CrammerSingerOptions& options, Context& ctx);

}  // namespace clade
