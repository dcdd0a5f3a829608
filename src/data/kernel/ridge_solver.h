#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <vector>

#include "data/closed_labels.h"
#include "data/kernel/kernel_samples.h"
#include "math/dense.h"

namespace clade {

enum class RidgeKernel { kAuto, kExponential, kRbf };

// Squared distances of some samples, lower triangle and diagonal.
Matrix squared_distances(const KernelSamples& samples, Context& ctx);

// The median of the squared distances between different samples; 1 if it is 0.
double median_square(const Matrix& squares);

// Samples on which ridge regressions are solved.
struct RidgeProblem {
  Matrix squares;
  double median = 1;  // of the squared distances
  Dataset data;
  ClosedLabels labels;
  std::vector<double> weight;  // of samples; empty: 1 each
};

struct RidgeFit {
  Matrix coefficient;  // samples x columns
  Matrix held_out;     // scores of every sample by the others
};

// Solves the regressions of all nodes (kernel_ridge.cpp has the formulas). If `keep_squares` is false, the squares are
// lost, and no other matrix of that size is needed beside the inverse. Throws Error (kInput) if the penalty is too
// small for the accuracy of a double.
RidgeFit solve_ridge(RidgeProblem& problem, RidgeKernel kernel, double width, double penalty, bool keep_squares,
                     Context& ctx);

}  // namespace clade
