#pragma once

#include <clade/context.h>

#include <span>
#include <vector>

#include "classify/linear/training_rows.h"

namespace clade {

struct SmoOptions {
  double c = 1;
  double tolerance = 1e-3;  // of the largest pair of violating gradients
};

struct SmoResult {
  std::vector<double> w;  // per column
  double bias = 0;        // the decision is w . x + bias
  double objective = 0;   // dual: 1/2 a'Qa - sum a
  Index iterations = 0;
};

// C-SVC with an unpenalised bias, as libsvm defines it:
//
//   min_w,b  1/2 ||w||^2 + sum_i c_i max(0, 1 - y_i (w . x_i + b)),   c_i = c weight_i
//
// by sequential minimal optimisation with second-order choice of the pair (R.-E. Fan, P.-H. Chen, C.-J. Lin, 2005).
// `sign` has +1 or -1 for every row taken; `taken` has the rows (in order), `weight` a factor of C for each (empty: 1).
// Kernel rows are kept up to a fixed amount of memory. O(iterations x rows x non-zeros) at worst.
SmoResult smo(const TrainingRows& rows, std::span<const Index> taken, std::span<const std::int8_t> sign,
              std::span<const double> weight, const SmoOptions& options, Context& ctx);

}  // namespace clade
