#pragma once

#include <clade/context.h>

#include "math/dense.h"

namespace clade {

// A symmetric positive definite matrix becomes its inverse: the lower triangle is read, both triangles are written.
// False if it is not positive definite; then the content is undefined. n^3 multiplications and additions each, and a
// second matrix of the same size.
bool invert_symmetric(Matrix& a, Context& ctx);

}  // namespace clade
