#pragma once

#include <clade/context.h>

#include "math/dense.h"

namespace clade {

// A X for a symmetric matrix, whose lower triangle is given, and an X of few columns; columns of zeros cost nothing.
// Reads the triangle once. Parallel, and the same to the last bit for any number of threads.
Matrix symmetric_product(const ConstMatrixRef& lower, const Matrix& x, Context& ctx);

}  // namespace clade
