#pragma once

#include <clade/context.h>

#include "math/dense.h"

// Equations with a lower triangle L, of which nothing above the diagonal is read. Parallel, and the same to the last
// bit for any number of threads.
namespace clade {

// B becomes B L'^-1.
void solve_right(const ConstMatrixRef& l, MatrixRef b, Context& ctx);

// B becomes L'^-1 B.
void solve_transposed(const ConstMatrixRef& l, MatrixRef b, Context& ctx);

}  // namespace clade
