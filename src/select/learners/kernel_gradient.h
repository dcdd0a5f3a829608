#pragma once

#include <clade/types.h>

#include <span>
#include <vector>

#include "data/kernel/kernel_samples.h"
#include "data/kernel/ridge_solver.h"
#include "math/dense.h"

namespace clade {

// The slopes of a kernel at some samples: grad_x k(x, x_j) at x = x_i is slope(i, j) (x_i - x_j), with
//
//   rbf           k = exp(-gamma d^2)   slope = -2 gamma k
//   exponential   k = exp(-gamma d)     slope = -gamma k / d;  0 where d is 0, where k has no gradient
//
// `squares` has the squared distances of all samples, lower triangle. Points x samples.
Matrix kernel_slopes(const Matrix& squares, std::span<const Index> points, RidgeKernel kernel, double gamma);

// sum over the points i of (d/dx_f sum_j coefficient_j k(x, x_j))^2 at x_i, for all features f. `dense` has the values
// of all samples (samples x features), or no rows: then they are read from `samples`. O(points x non-zeros).
Vector squared_gradients(const Matrix& slopes, std::span<const Index> points, const Vector& coefficient,
                         const KernelSamples& samples, const Matrix& dense);

}  // namespace clade
