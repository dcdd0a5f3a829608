#pragma once

#include <clade/context.h>

#include <span>
#include <vector>

#include "classify/linear/training_rows.h"

namespace clade {

struct SoftmaxNewtonOptions {
  double c = 1;
  bool has_bias = true;
  double tolerance = 1e-3;  // of the largest entry of the gradient, relative to that at zero weights
  int iterations = 200;     // products with the curvature
};

// A point of the problem of multinomial_logistic.h: w_m = sum_i coefficient[i, m] x_i.
struct SoftmaxPoint {
  Index stride = 0;             // of the coefficients: padded_classes()
  Buffer<double> coefficients;  // rows x stride
  std::vector<double> bias;     // classes
  double first_gradient = 0;    // its largest entry at zero weights
  int iterations = 0;
};

// Takes the problem near its minimum by Newton steps, whose systems are solved roughly by conjugate gradients.
//
// At the minimum, and all along the way from zero, weights, gradients and directions are sums of the rows. So every
// vector is kept as its coefficients, a number per row and class, together with its products with the rows: there are
// far fewer of them than weights (a node of 250 documents has 8,000 words). What is added to the coefficients near the
// minimum is small itself, so that products with sparse rows can be done in single precision. The minimum along a
// direction costs no product at all: scores change linearly. Every step of conjugate gradients costs one product with
// the transposed rows and one with the rows, and three passes over the coefficients.
//
// The result is meant to be checked in double precision, and to be improved if it is not good enough. Parallel over
// rows and columns in fixed chunks: the same for any number of threads.
SoftmaxPoint softmax_newton(const TrainingRows& rows, std::span<const std::int32_t> label, Index classes,
                            std::span<const double> weight, const SoftmaxNewtonOptions& options, Context& ctx);

}  // namespace clade
