#pragma once

#include <clade/context.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "select/recursive/method.h"

namespace clade {

struct SolverOptions {
  double lambda = 10;
  double smallest_norm = 1e-8;  // smaller row norms count as this much in D
  int iterations = 10;
  double tolerance = 0;
  bool is_penalty_fixed = false;   // D stays as the start sets it
  bool in_double = false;          // never factor in single precision
  std::vector<std::size_t> order;  // in which nodes are solved; lists all of them
  // Completes the matrices of the nodes of a level, which wait for those of other processes (Problem::complete_level);
  // empty: all are complete.
  std::function<void(int level)> complete_level = {};
};

struct SolverResult {
  Weights weights;
  std::vector<double> objective;              // after each iteration
  std::vector<std::size_t> indefinite;        // nodes with an indefinite system
  std::optional<double> smallest_eigenvalue;  // of the first such system, unless there are too many features
};

// Minimises sum_i fit_i(W_i) + lambda ||W_i||_{2,1} + coupling by iterative reweighting. An iteration computes D_i =
// diag(1 / (2 max(||w_j||, smallest_norm))) of all nodes from the weights it starts with, then solves the nodes in
// order, each with the newest weights of the others. Nodes that are not coupled, directly or through the order, are
// solved at the same time, with the same numbers as one after the other; if none are, each does all its iterations
// without waiting for the others.
SolverResult solve(const Problem& problem, CoupledMethod& method, Weights start, const SolverOptions& options,
                   Context& ctx);

enum class Start { kOnes, kRandom };

// The order in which the nodes of a problem are solved.
enum class SolvingOrder {
  kTopological,    // the root first
  kNamed,          // the root, then the others as the input first names them as a parent, as most programs do
  kInputRootLast,  // in the order of the input, then the root
};
std::vector<std::size_t> solving_order(const Problem& problem, SolvingOrder by);

// Initial weights: all ones, or numbers from (0, 1) by minstd_rand0 and `seed`, matrix by matrix, column by column.
// Matrices are drawn in the solving order, except the root's, which comes last, or first with `root_first`.
Weights make_start(const Problem& problem, Start start, std::uint64_t seed, const std::vector<std::size_t>& order,
                   bool root_first);

// Groups of nodes that can be solved together: each node comes after all its neighbours that precede it in the order.
std::vector<std::vector<std::size_t>> waves(const CoupledMethod& method, const std::vector<std::size_t>& order);

// sum_i fit_i(W_i) + lambda ||W_i||_{2,1} + coupling.
double joint_objective(const CoupledMethod& method, const Weights& w, double lambda, Context& ctx);

}  // namespace clade
