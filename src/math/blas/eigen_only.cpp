#include "math/blas/blas.h"

#ifndef CLADE_WITH_BLAS

#include <clade/context.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <type_traits>

namespace clade::blas {
namespace {

template <class Scalar>
using Dense = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
template <class Scalar>
using Map = Eigen::Map<Dense<Scalar>, 0, Eigen::OuterStride<>>;
template <class Scalar>
using ConstMap = Eigen::Map<const Dense<Scalar>, 0, Eigen::OuterStride<>>;

// beta = 0 overwrites even NaN, as in a BLAS.
template <class Scalar>
void scale(Map<Scalar>& c, Scalar beta) {
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

template <class Scalar>
void gemm(bool transpose_a, bool transpose_b, int m, int n, int k, std::type_identity_t<Scalar> alpha, const Scalar* a,
          int lda, const Scalar* b, int ldb, std::type_identity_t<Scalar> beta, Scalar* c, int ldc) {
  const ConstMap<Scalar> left(a, transpose_a ? k : m, transpose_a ? m : k, Eigen::OuterStride<>(lda));
  const ConstMap<Scalar> right(b, transpose_b ? n : k, transpose_b ? k : n, Eigen::OuterStride<>(ldb));
  Map<Scalar> result(c, m, n, Eigen::OuterStride<>(ldc));
  scale(result, beta);
  if (transpose_a && transpose_b) result.noalias() += alpha * left.transpose() * right.transpose();
  if (transpose_a && !transpose_b) result.noalias() += alpha * left.transpose() * right;
  if (!transpose_a && transpose_b) result.noalias() += alpha * left * right.transpose();
  if (!transpose_a && !transpose_b) result.noalias() += alpha * left * right;
}

template <class Scalar>
void syrk(bool transpose, int n, int k, std::type_identity_t<Scalar> alpha, const Scalar* a, int lda,
          std::type_identity_t<Scalar> beta, Scalar* c, int ldc) {
  const ConstMap<Scalar> left(a, transpose ? k : n, transpose ? n : k, Eigen::OuterStride<>(lda));
  Map<Scalar> result(c, n, n, Eigen::OuterStride<>(ldc));
  // The other triangle stays untouched.
  Dense<Scalar> product = Dense<Scalar>::Zero(n, n);
  auto lower = product.template selfadjointView<Eigen::Lower>();
  if (transpose) {
    lower.rankUpdate(left.transpose(), alpha);
  } else {
    lower.rankUpdate(left, alpha);
  }
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) result(i, j) = (beta == 0 ? 0 : beta * result(i, j)) + product(i, j);
  }
}

template <class Scalar>
bool cholesky(int n, Scalar* a, int lda) {
  Map<Scalar> matrix(a, n, n, Eigen::OuterStride<>(lda));
  const Eigen::LLT<Eigen::Ref<Dense<Scalar>, 0, Eigen::OuterStride<>>, Eigen::Lower> factor(matrix);
  return factor.info() == Eigen::Success;
}

template <class Scalar>
void solve_right(int m, int n, const Scalar* l, int ldl, Scalar* b, int ldb) {
  const ConstMap<Scalar> factor(l, n, n, Eigen::OuterStride<>(ldl));
  Map<Scalar> x(b, m, n, Eigen::OuterStride<>(ldb));
  factor.template triangularView<Eigen::Lower>().transpose().template solveInPlace<Eigen::OnTheRight>(x);
}

template <class Scalar>
void cholesky_solve(int n, int columns, const Scalar* l, int ldl, Scalar* b, int ldb) {
  const ConstMap<Scalar> factor(l, n, n, Eigen::OuterStride<>(ldl));
  Map<Scalar> x(b, n, columns, Eigen::OuterStride<>(ldb));
  factor.template triangularView<Eigen::Lower>().solveInPlace(x);
  factor.template triangularView<Eigen::Lower>().transpose().solveInPlace(x);
}

template void gemm(bool, bool, int, int, int, double, const double*, int, const double*, int, double, double*, int);
template void syrk(bool, int, int, double, const double*, int, double, double*, int);
template bool cholesky(int, double*, int);
template void solve_right(int, int, const double*, int, double*, int);
template void cholesky_solve(int, int, const double*, int, double*, int);
template void gemm(bool, bool, int, int, int, float, const float*, int, const float*, int, float, float*, int);
template void syrk(bool, int, int, float, const float*, int, float, float*, int);
template bool cholesky(int, float*, int);
template void solve_right(int, int, const float*, int, float*, int);
template void cholesky_solve(int, int, const float*, int, float*, int);

}  // namespace clade::blas

namespace clade {

void use_openblas(const std::string& /*path*/) {}

}  // namespace clade

#endif
