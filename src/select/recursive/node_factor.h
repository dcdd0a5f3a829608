#pragma once

#include <clade/context.h>

#include "select/recursive/problem.h"

namespace clade {

// The matrix X'X + diag(m) of a node, factored once and solved for the columns of its right-hand side in any portions:
// the features x features matrix of a tall node, the samples x samples matrix of a wide one (see system.h).
class NodeFactor {
 public:
  // False if rounding makes the matrix indefinite, or it is not finite.
  bool set(const NodeProblem& node, const Vector& diagonal, Context& ctx);

  // `right`, as wide as a block of W that starts at column `first`, becomes the solution W for X'Y + right. Returns
  // what these columns contribute to ||X W - Y||^2; of a tall node, the constant ||Y||^2 is counted at the first
  // column. Throws Error (kInput) if the solution is not finite. `node` is the one given before.
  double solve(const NodeProblem& node, Index first, Matrix& right, Context& ctx) const;

 private:
  double solve_by_features(const NodeProblem& node, Index first, Matrix& right, Context& ctx) const;
  double solve_by_samples(const NodeProblem& node, Index first, Matrix& right, Context& ctx) const;

  Matrix factor_;
  Vector diagonal_;  // m; of a wide node, its inverse
};

// Numbers in the factors of all nodes.
double factor_size(const Problem& problem);

}  // namespace clade
