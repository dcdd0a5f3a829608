#include "math/blas/blas.h"

#ifndef CLADE_WITH_BLAS

#include <clade/context.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace clade::blas {
namespace {

using Matrix = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
using ConstMatrix = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

// beta = 0 overwrites even NaN, as in a BLAS.
void scale(Matrix& c, double beta) {
  if (beta == 0) {
    c.setZero();
  } else {
    c *= beta;
  }
}

}  // namespace

const Library& prepare() {
  static const Library library{.name = "Eigen"};
  return library;
}

void gemm(bool transpose_a, bool transpose_b, int m, int n, int k, double alpha, const double* a, int lda,
          const double* b, int ldb, double beta, double* c, int ldc) {
  const ConstMatrix left(a, transpose_a ? k : m, transpose_a ? m : k, Eigen::OuterStride<>(lda));
  const ConstMatrix right(b, transpose_b ? n : k, transpose_b ? k : n, Eigen::OuterStride<>(ldb));
  Matrix result(c, m, n, Eigen::OuterStride<>(ldc));
  scale(result, beta);
  if (transpose_a && transpose_b) result.noalias() += alpha * left.transpose() * right.transpose();
  if (transpose_a && !transpose_b) result.noalias() += alpha * left.transpose() * right;
  if (!transpose_a && transpose_b) result.noalias() += alpha * left * right.transpose();
  if (!transpose_a && !transpose_b) result.noalias() += alpha * left * right;
}

void syrk(bool transpose, int n, int k, double alpha, const double* a, int lda, double beta, double* c, int ldc) {
  const ConstMatrix left(a, transpose ? k : n, transpose ? n : k, Eigen::OuterStride<>(lda));
  Matrix result(c, n, n, Eigen::OuterStride<>(ldc));
  // The other triangle stays untouched.
  Eigen::MatrixXd product = Eigen::MatrixXd::Zero(n, n);
  auto lower = product.selfadjointView<Eigen::Lower>();
  if (transpose) {
    lower.rankUpdate(left.transpose(), alpha);
  } else {
    lower.rankUpdate(left, alpha);
  }
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) result(i, j) = (beta == 0 ? 0 : beta * result(i, j)) + product(i, j);
  }
}

bool cholesky(int n, double* a, int lda) {
  Matrix matrix(a, n, n, Eigen::OuterStride<>(lda));
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>>, Eigen::Lower> factor(matrix);
  return factor.info() == Eigen::Success;
}

void solve_right(int m, int n, const double* l, int ldl, double* b, int ldb) {
  const ConstMatrix factor(l, n, n, Eigen::OuterStride<>(ldl));
  Matrix x(b, m, n, Eigen::OuterStride<>(ldb));
  factor.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(x);
}

void cholesky_solve(int n, int columns, const double* l, int ldl, double* b, int ldb) {
  const ConstMatrix factor(l, n, n, Eigen::OuterStride<>(ldl));
  Matrix x(b, n, columns, Eigen::OuterStride<>(ldb));
  factor.triangularView<Eigen::Lower>().solveInPlace(x);
  factor.triangularView<Eigen::Lower>().transpose().solveInPlace(x);
}

}  // namespace clade::blas

namespace clade {

void use_openblas(const std::string& /*path*/) {}

}  // namespace clade

#endif
