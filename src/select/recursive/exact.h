#pragma once

#include <clade/context.h>

#include <vector>

#include "select/recursive/method.h"

namespace clade {

struct ExactOptions {
  double lambda = 10;
  double tolerance = 1e-6;         // relative gap of every node; for coupled nodes also of the fall in a round
  int rounds = 100;                // over coupled nodes, at most
  std::vector<std::size_t> order;  // in which nodes are solved; all of them
};

struct ExactResult {
  Weights weights;
  std::vector<double> objective;  // of all nodes together, after each round
  // How far the objective can be above the minimum, relative. Nodes that do not depend on each other: of the whole
  // problem. Coupled nodes: the largest of the nodes, each given the others. Infinite: not certified.
  double gap = 0;
  bool has_converged = true;
};

// Minimises the objective of the coupled family from `start`, each node's problem being solved to a certified gap
// (math/group_lasso.h): one round if the nodes are independent; otherwise rounds in which each node uses the newest
// weights of the others, until the objective falls by less than the tolerance. The objective is never above that of
// the start. The method must have been prepared, and its node problems must be convex. Throws Error (kInput) if a
// node's problem has no minimum.
ExactResult solve_exactly(const Problem& problem, CoupledMethod& method, Weights start, const ExactOptions& options,
                          Context& ctx);

// The smallest lambda for which all weights are zero: the largest 2 ||X_j'Y|| over nodes and features.
double largest_lambda(const Problem& problem);

// ||X_j'(Y - X W)|| of every feature: what orders those whose weight is zero.
std::vector<double> residual_correlations(const NodeProblem& node, const Matrix& w);

}  // namespace clade
