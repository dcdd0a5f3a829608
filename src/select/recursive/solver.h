#pragma once

#include <clade/context.h>

#include <optional>
#include <string>
#include <vector>

#include "select/recursive/method.h"

namespace clade {

struct SolverOptions {
  double lambda = 10;
  double smallest_norm = 1e-8;  // norms of rows below it count as this much in D
  int iterations = 10;
  double tolerance = 0;
  bool is_penalty_fixed = false;   // D stays what the start makes it
  std::vector<std::size_t> order;  // in which nodes are solved; all of them
};

struct SolverResult {
  Weights weights;
  std::vector<double> objective;              // after each iteration
  std::vector<std::size_t> indefinite;        // nodes whose system was
  std::optional<double> smallest_eigenvalue;  // of the first such system, where features are not too many
};

// Minimises sum_i fit_i(W_i) + lambda ||W_i||_{2,1} + coupling by iterated reweighting. An iteration takes
// D_i = diag(1 / (2 max(||w_j||, smallest_norm))) of all nodes from the weights it starts with, then solves the nodes
// in order, each with the newest weights of the others. Nodes that are not coupled, directly or through the order, are
// solved at the same time; the numbers are those of one after the other.
SolverResult solve(const Problem& problem, CoupledMethod& method, Weights start, const SolverOptions& options,
                   Context& ctx);

// Groups of nodes that can be solved at once: a node comes after all its neighbours that precede it in the order.
std::vector<std::vector<std::size_t>> waves(const CoupledMethod& method, const std::vector<std::size_t>& order);

// sum_i fit_i(W_i) + lambda ||W_i||_{2,1} + coupling.
double joint_objective(const CoupledMethod& method, const Weights& w, double lambda, Context& ctx);

}  // namespace clade
