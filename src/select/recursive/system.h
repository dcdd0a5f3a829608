#pragma once

#include <clade/context.h>
#include <clade/error.h>

#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "math/dense.h"
#include "math/refined_factor.h"
#include "select/recursive/problem.h"

namespace clade {

// One node's linear system, made up by a method and the penalty:
//
//   (g X'X + diag(m) + U U' + f F - V V') W = X'Y + R
//
// These terms are all that distinguishes the methods of the coupled family.
struct SystemTerms {
  double gram_factor = 1;        // g > 0
  Vector diagonal;               // m > 0: the penalty, and multiples of I
  Matrix low_rank;               // U, with few columns; empty: none
  const Matrix* full = nullptr;  // F, lower triangle; null: none. It may make the system indefinite.
  double full_factor = 1;        // f
  Matrix removed;                // V, with few columns, if F contains V V' in excess; empty: none
  std::optional<Matrix> sum;     // a further term like F, for a low rank with more columns than features
  Matrix right;                  // R, as wide as W
  double square = 0;             // the constant that completes R to squares a ||W - V||^2: the sum of a ||V||^2

  // A method that weights rows or shifts targets gives its own data instead of the node's. Tall node: features x
  // features and features x width. Wide node: rows become scale (x - mean), each optional, with these targets.
  std::optional<Matrix> own_gram;
  std::optional<Matrix> own_right;
  std::optional<Vector> row_scale;
  std::optional<Vector> row_mean;
  std::optional<Matrix> own_targets;

  // Asked for after each solution, with its weights: other data (own_right of a tall node, own_targets of a wide one)
  // to solve the same matrix for, or nothing.
  std::function<std::optional<Matrix>(const Matrix& weights)> again;

  // Solve in double precision throughout, because refining from single precision has failed for such a system before.
  bool in_double = false;

  void add_multiple_of_identity(double amount) { diagonal.array() += amount; }
};

// Reusable memory for square matrices and factors: page faults in fresh memory cost up to a quarter of a factorisation.
// Thread-safe.
class Workspaces {
 public:
  // A square matrix of arbitrary content, held as long as this lives.
  class Square {
   public:
    Square(Workspaces& owner, Index size);
    ~Square();
    Square(const Square&) = delete;
    Square& operator=(const Square&) = delete;
    Eigen::Map<Matrix> matrix() { return {numbers_.data(), size_, size_}; }

   private:
    Workspaces& owner_;
    Index size_;
    Vector numbers_;
  };

  // A factor in single precision, set or not.
  class Factor {
   public:
    explicit Factor(Workspaces& owner);
    ~Factor();
    Factor(const Factor&) = delete;
    Factor& operator=(const Factor&) = delete;
    RefinedFactor* operator->() { return &factor_; }

   private:
    Workspaces& owner_;
    RefinedFactor factor_;
  };

 private:
  std::mutex mutex_;
  std::vector<Vector> free_;
  std::vector<RefinedFactor> free_factors_;
};

// The error for a system that is singular or not finite.
Error unsolvable(const NodeProblem& node);

struct Solution {
  Matrix weights;
  bool was_indefinite = false;
  bool needed_double = false;             // refining from single precision failed
  std::optional<double> squared_error{};  // ||X W - Y||^2, if it was found on the way
};

// Sets the lower triangle to g X'X + diag(m) + U U' + f F - V V', by groups of columns that stay in the cache.
void assemble_system(const Matrix& gram, const SystemTerms& terms, MatrixRef a, Context& ctx);

// The smallest eigenvalue of the features x features matrix. O(features^3).
double smallest_eigenvalue(const NodeProblem& node, const SystemTerms& terms, Context& ctx);

// Solves the system. A tall node, or one with F, by factoring the features x features matrix: Cholesky (of a large
// matrix in single precision, refined; in double precision if that fails), or LU if F makes the matrix indefinite. A
// wide node by the Woodbury identity in the samples x samples system
//
//   W = M^-1 (R + Z' T),   (I + Z M^-1 Z') T = [Y / sqrt(g); 0] - Z M^-1 R,   Z = [sqrt(g) X; U'],   M = diag(m),
//
// which never forms a features x features matrix. Throws Error (kInput) if the matrix is singular or not finite.
Solution solve_system(const NodeProblem& node, const SystemTerms& terms, Workspaces& workspaces, Context& ctx);

}  // namespace clade
