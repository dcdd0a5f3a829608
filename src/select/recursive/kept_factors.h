#pragma once

#include <clade/context.h>

#include <optional>
#include <vector>

#include "math/refined_factor.h"
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
//
// Large matrices of tall nodes and of dense wide ones are factored in single precision and solutions are refined; where
// that fails, the node's matrix is factored in double precision from then on.
class KeptFactors {
 public:
  // `in_double`: all in double precision.
  explicit KeptFactors(bool in_double = false) : in_double_(in_double) {}

  // Numbers that may be kept.
  static constexpr double kMost = 0x1p27;
  // Are the factors of all nodes small enough to keep?
  static bool fit(const Problem& problem);

  // Has single precision turned out to be too little for a node, or is it known to be?
  bool is_in_double(std::size_t i) const { return i < factors_.size() && factors_[i].in_double; }
  void set_in_double(const std::vector<char>& in_double);

  // Factors the matrices of all nodes of this process. Diagonals m are given for all.
  void factor(const Problem& problem, std::vector<Vector> diagonals, Context& ctx);

  // The solution of the system of node i, whose terms are those above and whose diagonal was given, with its squared
  // error. The same as that of solve_system() up to rounding. Nothing if rounding errors could be large, or U has many
  // columns.
  std::optional<Solution> solve(std::size_t i, const NodeProblem& node, const SystemTerms& terms, Context& ctx);

 private:
  struct Factor {
    Matrix lower;                          // of the Cholesky factorisation of A or K
    RefinedFactor single;                  // instead, in single precision
    Vector diagonal;                       // m; of a wide node, its inverse
    std::optional<WeightedSquare> square;  // X M^-1 X' and X' of a sparse wide node, for any M
    std::optional<ShortColumns> by_feature;
    bool in_double = false;
    bool is_usable = false;
  };
  static void factor_single(Factor& own, const NodeProblem& node, Context& ctx);
  static void set_wide(Factor& own, const NodeProblem& node, Context& ctx);
  static void factor_double(Factor& own, const NodeProblem& node, Context& ctx);
  // B becomes A^-1 B or K^-1 B; false if the factor has turned out to be unusable.
  static bool apply_inverse(Factor& own, const NodeProblem& node, Matrix& b, Context& ctx);
  static std::optional<Solution> solve_tall(Factor& own, const NodeProblem& node, const SystemTerms& terms,
                                            Context& ctx);
  static std::optional<Solution> solve_wide(Factor& own, const NodeProblem& node, const SystemTerms& terms,
                                            Context& ctx);

  bool in_double_;
  std::vector<Factor> factors_;
};

}  // namespace clade
