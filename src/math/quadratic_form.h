#pragma once

#include <clade/context.h>
#include <clade/types.h>

#include <memory>
#include <span>
#include <vector>

#include "math/sparse.h"

namespace clade {

// What a solver of   min <W, H W> - 2 <W, L> + lambda ||W||_{2,1}   needs of a symmetric positive semidefinite H on a
// few rows A of W. Matrices have one row per entry of A. "g" is always L_A - (H W)_A, half the negative gradient of the
// smooth part.
class QuadraticBlock {
 public:
  virtual ~QuadraticBlock() = default;
  // H_AA V
  virtual Matrix product(const Matrix& v, Context& ctx) const = 0;
  // Passes of block coordinate descent over the rows, each row to its exact minimum given the others; updates w and g.
  // False if a row has no minimum (H_jj = 0 and ||L_j|| above lambda / 2).
  virtual bool descend(double lambda, int passes, const Matrix& linear, Matrix& w, Matrix& g) const = 0;
  // Do passes cost little beside a Newton step, so that they should go on as long as they get on?
  virtual bool prefers_passes() const { return false; }
  // Factors H_AA + diag(m), m > 0; solve() then turns B into the solution. False if rounding makes it indefinite.
  virtual bool factor(const Vector& m, Context& ctx) = 0;
  virtual void solve(Matrix& b, Context& ctx) const = 0;
};

// A symmetric positive semidefinite matrix H, in whatever representation.
class QuadraticForm {
 public:
  virtual ~QuadraticForm() = default;
  virtual const Vector& diagonal() const = 0;
  Index size() const { return diagonal().size(); }
  // The rows `wanted` of H(:, rows) w.
  virtual Matrix product(std::span<const Index> rows, const Matrix& w, std::span<const Index> wanted,
                         Context& ctx) const = 0;
  // H restricted to some rows, ascending. The form must outlive it.
  virtual std::unique_ptr<QuadraticBlock> block(std::span<const Index> rows, Context& ctx) const = 0;
};

// H itself, both triangles, for tall problems.
std::unique_ptr<QuadraticForm> gram_form(Matrix gram);

// H = Z'Z + diag(ridge) by the columns of Z, the sparse rows above the dense ones (either may be empty), for wide
// problems. Never forms a matrix larger than rows(Z) x rows(Z) or rows(Z) x size.
struct ColumnSet {
  SparseColumns sparse;
  Matrix dense;
  Vector ridge;

  Index size() const { return ridge.size(); }
  Index rows() const { return sparse.rows() + dense.rows(); }
};
std::unique_ptr<QuadraticForm> column_form(ColumnSet columns);

}  // namespace clade
