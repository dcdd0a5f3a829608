#pragma once

#include <clade/context.h>
#include <clade/types.h>

#include <functional>

#include "math/dense.h"

namespace clade {

// A positive definite matrix A, factored in single precision, which takes half the time of double precision. Systems
// are solved in double precision all the same, by iterative refinement: x += A~^-1 (b - A x), where A~ is the factored
// matrix and the residual is computed in double precision. That converges where rounding to single precision changes
// the solution by a few percent at most; otherwise a caller has to factor in double precision.
class RefinedFactor {
 public:
  // A x in double precision, for the columns of x.
  using Multiply = std::function<Matrix(const Matrix& x)>;

  // Below so many rows, solving costs more than a factorisation in double precision.
  static constexpr Index kFewestRows = 1024;

  // Sets columns [begin, end) of A, from row `begin` on; what stands above the diagonal does not matter.
  using Columns = std::function<void(Index begin, Index end, MatrixRef columns)>;
  // A by its columns, and its diagonal. False if it is not positive definite in single precision.
  bool set(const Vector& diagonal, const Columns& columns, Context& ctx);
  // A = I + X' diag(v) X, computed in single precision too.
  bool set_inner_product(const Matrix& x, const Vector& v, Context& ctx);

  // B becomes the solution of A X = B, up to a relative error of 1e-12 and what rounding does to the residuals. False
  // if it does not converge; B is then unchanged. `multiply` is called one product at a time.
  bool solve(const Multiply& multiply, Matrix& b, Context& ctx) const;

 private:
  Matrix approximate(const Matrix& b, Context& ctx) const;
  double relative_change(const Matrix& change, const Matrix& x) const;

  FloatMatrix factor_;  // of diag(scale) A diag(scale), whose diagonal is 1, so that no number overflows
  Vector scale_;
};

}  // namespace clade
