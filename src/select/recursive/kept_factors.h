#pragma once

#include <clade/context.h>

#include <optional>
#include <vector>

#include "select/recursive/problem.h"
#include "select/recursive/system.h"

namespace clade {

// Coupled nodes wait for each other's weights, but only with small parts of their systems, where these are
//
//   (X'X + diag(m) + U U') W = X'Y + R
//
// and other nodes contribute R and U, which has few columns. X'X + diag(m) is therefore factored beforehand, for all
// nodes at the same time; U is accounted for when a node is solved.
//
//   tall node:   A = X'X + diag(m),   W = B - V (I + U'V)^-1 U'B,   B = A^-1 (X'Y + R),   V = A^-1 U
//   wide node:   K = I + X M^-1 X',   W = M^-1 (R + X'T + U S),   and T and S from the bordered system
//                [K  X M^-1 U; .  I + U'M^-1 U] [T; S] = [Y - X M^-1 R; - U'M^-1 R]
class KeptFactors {
 public:
  // Numbers that may be kept.
  static constexpr double kMost = 0x1p27;
  // Are the factors of all nodes small enough to keep?
  static bool fit(const Problem& problem);

  // Factors the matrices of all nodes, whose diagonals m are given.
  void factor(const Problem& problem, std::vector<Vector> diagonals, Context& ctx);

  // The solution of the system of node i, whose terms are those above and whose diagonal was given, with its squared
  // error. The same as that of solve_system() up to rounding. Nothing if rounding errors could be large, or U has many
  // columns.
  std::optional<Solution> solve(std::size_t i, const NodeProblem& node, const SystemTerms& terms, Context& ctx) const;

 private:
  struct Factor {
    Matrix lower;     // of the Cholesky factorisation of A or K
    Vector diagonal;  // m; of a wide node, its inverse
    bool is_usable = false;
  };
  static std::optional<Solution> solve_tall(const Factor& own, const NodeProblem& node, const SystemTerms& terms,
                                            Context& ctx);
  static std::optional<Solution> solve_wide(const Factor& own, const NodeProblem& node, const SystemTerms& terms,
                                            Context& ctx);

  std::vector<Factor> factors_;
};

}  // namespace clade
