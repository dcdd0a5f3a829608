#pragma once

#include <clade/types.h>

#include <functional>
#include <optional>

#include "math/dense.h"

// Eigenvalues, LU, QR and singular values as plain functions, because the templates behind them take many seconds to
// compile in every file that includes them. All run on the calling thread.
namespace clade {

// The eigenvalues of a symmetric matrix, whose lower triangle is read; ascending. O(n^3).
Vector symmetric_eigenvalues(const Matrix& a);

struct SymmetricEigen {
  Vector values;   // ascending
  Matrix vectors;  // one per column, of length 1
};
SymmetricEigen symmetric_eigen(const Matrix& a);

// y = A x for a symmetric matrix A of `size` rows that is known only by its products.
struct SymmetricOperator {
  Index size = 0;
  std::function<void(const Vector& x, Vector& y)> multiply;
};

struct LanczosOptions {
  Index basis = 20;  // vectors kept between restarts; more than the number asked for
  int restarts = 2000;
  double tolerance = 1e-13;
};

// The `count` largest eigenvalues of an operator, largest first, by restarted Lanczos iterations from `start`; nothing
// if they do not converge.
std::optional<SymmetricEigen> largest_eigen(const SymmetricOperator& a, Index count, const Vector& start,
                                            const LanczosOptions& options);

// B becomes the solution of A X = B, by LU with row exchanges; A is destroyed. Where A is singular, B is not finite.
void solve_by_lu(MatrixRef a, Matrix& b);

// The lower triangle L of A = L L', with zeros above it; A must be positive definite.
Matrix cholesky_factor(const Matrix& a);

// The matrix with orthonormal columns nearest to A, which has no more columns than rows: S R' where A = S diag(s) R'.
// Its columns are orthonormal whatever the rank of A.
Matrix nearest_orthonormal(const Matrix& a);

}  // namespace clade
