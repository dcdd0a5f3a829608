#pragma once

#include <clade/context.h>

#include "math/quadratic_form.h"

namespace clade {

// Least squares with a group penalty on the rows of W:
//
//   P(W) = ||Z W - T||^2 - 2 <W, E> + lambda ||W||_{2,1},      H = Z'Z,  B = Z'T,  c = ||T||^2,
//
// given only by H, B, c and E. A ridge, a pull towards given matrices or any other square is a part of Z and T: it adds
// to H, to B and to c. E is a linear term that no square completes; usually there is none.
struct GroupLassoProblem {
  const QuadraticForm& form;  // H; must outlive the problem
  Matrix linear;              // B + E
  Matrix extra;               // E; empty: none
  double constant = 0;        // c; at least <V, H V> for a V with H V = B, so that T exists
};

// What any W says about the minimum. With R = T - Z W, and s such that ||s Z_j'R + E_j|| <= lambda / 2 for all j, s R
// is a point of the dual problem (max 2 <T, t> - ||t||^2 over ||Z_j't + E_j|| <= lambda / 2), and therefore
//
//   P(W) - min P  <=  gap = (1 - s)^2 ||R||^2 + sum_j (lambda ||w_j|| - 2 <w_j, s Z_j'R + E_j>),
//
// whose terms are all non-negative. Of the s allowed, the one with the smallest gap is taken: 1 + <W, Z'R> / ||R||^2 or
// the nearest to it. If E allows none, the gap is infinite.
struct Certificate {
  double objective = 0;  // P(W)
  double gap = 0;
  double scale = 0;  // s

  double relative_gap() const;  // gap / |objective|
};
// g = B + E - H W. All matrices hold the same rows: all those that can be non-zero in a minimum.
Certificate certify(double constant, double lambda, const Matrix& linear, const Matrix& extra, const Matrix& w,
                    const Matrix& g);

struct GroupLassoOptions {
  double tolerance = 1e-6;  // relative gap at which to stop
  int passes = 10000;       // at most this many passes and Newton steps together
};

enum class GroupLassoStatus {
  kConverged,  // the gap is below the tolerance
  kPassLimit,
  kStalled,    // because of rounding or an infinite gap, no step lowers the objective any more
  kUnbounded,  // there is no minimum: E is too large for lambda
};

struct GroupLassoResult {
  Matrix weights;
  Certificate certificate;
  GroupLassoStatus status = GroupLassoStatus::kConverged;
  int passes = 0;
  Index eliminated = 0;  // rows proved to be zero in every minimum
};

// Minimises P from `start`; the objective never rises. Works on a growing set of rows: the non-zero ones, and those
// that violate the optimality condition ||g_j|| <= lambda / 2 most. On these it makes passes of block coordinate
// descent; if most rows stay active, or passes do not close the gap soon, it puts Newton steps on the non-zero rows
// between them (for small lambda, coordinate descent alone needs thousands of passes). A row is eliminated for good
// once
//
//   ||s Z_j'R + E_j|| + sqrt(gap) ||Z_j|| < lambda / 2,
//
// the gap-safe rule of E. Ndiaye, O. Fercoq, A. Gramfort, J. Salmon, Gap safe screening rules for sparsity enforcing
// penalties, 2017: the dual optimum lies within sqrt(gap) of s R.
GroupLassoResult minimise(const GroupLassoProblem& problem, double lambda, Matrix start,
                          const GroupLassoOptions& options, Context& ctx);

// The smallest lambda for which W = 0 is a minimum: max_j 2 ||(B + E)_j||.
double largest_lambda(const Matrix& linear);

}  // namespace clade
