#pragma once

#include <clade/context.h>

#include "math/quadratic_form.h"

namespace clade {

// One step towards the minimum of F(W) = <W, H W> - 2 <W, L> + lambda sum_j ||w_j|| over rows that are all non-zero,
// where F is smooth. Updates w and returns by how much F fell; 0 if no step was possible.
//
// Newton's direction solves (H + lambda/2 D - lambda/2 blockdiag(w_j w_j' / ||w_j||^3)) S = L - H W - lambda/2 D W with
// D = diag(1 / ||w_j||), by conjugate gradients. Their preconditioner is the Cholesky factor of H + lambda/2 D, the
// matrix of the reweighted (majorise-minimise) step; it is never smaller than Newton's, so all eigenvalues lie in [0,
// 1]. They can be 0 if columns are dependent; therefore a small share of what Newton subtracts is kept, which bounds
// its step by a multiple of the reweighted one. A row that the step would carry across 0 stops there, if F then falls.
// If F does not fall enough, a larger share is tried, and then the reweighted step itself, which always lowers F.
double newton_step(QuadraticBlock& block, double lambda, const Matrix& g, Matrix& w, Context& ctx);

}  // namespace clade
