#pragma once

#include <clade/context.h>

#include <vector>

#include "select/recursive/method.h"

namespace clade {

struct ExactOptions {
  double lambda = 10;
  double tolerance = 1e-6;         // relative gap of every node; for coupled nodes also the least fall per round
  int rounds = 100;                // at most, over coupled nodes
  std::vector<std::size_t> order;  // in which nodes are solved; lists all of them
};

struct ExactResult {
  Weights weights;
  std::vector<double> objective;  // of all nodes together, after each round
  // How far the objective can be above the minimum, relatively. For independent nodes, of the whole problem; for
  // coupled nodes, the largest gap of a node given the others. Infinite: not certified.
  double gap = 0;
  bool has_converged = true;
};

// Minimises the objective of the coupled family from `start`, solving each node's problem to a certified gap
// (math/group_lasso.h). Independent nodes take one round; coupled ones take rounds in which each node uses the newest
// weights of the others, until the objective falls by less than the tolerance. The objective never exceeds that of the
// start. The method must be prepared, and its node problems must be convex. Throws Error (kInput) if a node's problem
// has no minimum.
ExactResult solve_exactly(const Problem& problem, CoupledMethod& method, Weights start, const ExactOptions& options,
                          Context& ctx);

// The smallest lambda for which all weights are zero: the largest 2 ||X_j'Y|| over nodes and features.
double largest_lambda(const Problem& problem);

// ||X_j'(Y - X W)|| of every feature; it ranks the features with weight zero.
std::vector<double> residual_correlations(const NodeProblem& node, const Matrix& w);

}  // namespace clade
