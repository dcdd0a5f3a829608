#pragma once

#include <clade/context.h>

#include <Eigen/Core>

#include "math/eigen_kernels.h"

// Dense algebra on fixed tiles: parallel, and the same to the last bit for any number of threads. Column-major. Inside
// a parallel loop, everything runs on the calling thread.
namespace clade {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using MatrixRef = Eigen::Ref<Matrix>;
using ConstMatrixRef = Eigen::Ref<const Matrix>;
// Single precision, for what is refined in double precision afterwards (math/refined_factor.h).
using FloatMatrix = Eigen::MatrixXf;
using FloatMatrixRef = Eigen::Ref<FloatMatrix>;
using ConstFloatMatrixRef = Eigen::Ref<const FloatMatrix>;

// The lower triangle of C += factor A A'; the part above the diagonal is not changed.
void add_outer_product(const ConstMatrixRef& a, MatrixRef c, Context& ctx, double factor = 1);

// The lower triangle of C += A' A.
void add_inner_product(const ConstMatrixRef& a, MatrixRef c, Context& ctx);
void add_inner_product(const ConstFloatMatrixRef& a, FloatMatrixRef c, Context& ctx);

// C += A B.
void add_product(const ConstMatrixRef& a, const ConstMatrixRef& b, MatrixRef c, Context& ctx);

// C += A' B.
void add_transposed_product(const ConstMatrixRef& a, const ConstMatrixRef& b, MatrixRef c, Context& ctx);

// Factors the symmetric matrix whose lower triangle is given: A = L L', L in place of that triangle.
// False if A is not positive definite; then the content is undefined.
bool cholesky(MatrixRef a, Context& ctx);
bool cholesky(FloatMatrixRef a, Context& ctx);

// B becomes the solution of L L' X = B, where L is what cholesky() left in the lower triangle.
void cholesky_solve(const ConstMatrixRef& l, MatrixRef b, Context& ctx);
void cholesky_solve(const ConstFloatMatrixRef& l, FloatMatrixRef b, Context& ctx);

// diag(v) A.
Matrix scaled_rows(const Vector& v, const ConstMatrixRef& a, Context& ctx);

}  // namespace clade
