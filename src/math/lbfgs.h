#pragma once

#include <functional>

#include "math/dense.h"

namespace clade {

struct LbfgsOptions {
  double tolerance = 1e-4;  // for the largest entry of the gradient, absolute
  int iterations = 200;
  int history = 10;
};

struct LbfgsResult {
  double objective = 0;
  double gradient = 0;  // largest entry
  int iterations = 0;
  bool has_converged = false;
};

// Returns the value at a point; the gradient goes into the second argument, which has the size of the first.
using SmoothFunction = std::function<double(const Vector& at, Vector& gradient)>;

// A minimum of a smooth function by limited-memory BFGS (D. C. Liu, J. Nocedal, 1989) from `x`, which moves there.
// Steps meet the strong Wolfe conditions, so that the objective never rises by more than rounding. `scale` multiplies
// the initial inverse Hessian entry by entry (empty: 1); all entries must be positive. Memory: 2 history + 5 vectors.
// Stops without convergence at the limit of iterations, or when rounding leaves no descent.
LbfgsResult lbfgs(const SmoothFunction& function, Vector& x, const Vector& scale, const LbfgsOptions& options,
                  Context& ctx);

}  // namespace clade
