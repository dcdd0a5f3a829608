#include "select/unsupervised/weighted_regression.h"

#include <clade/error.h>

#include <cmath>

namespace clade {
namespace {

// diag(v) A diag(v) + beta I, lower triangle.
void scale_both_sides(const Vector& v, double beta, Matrix& a) {
  for (Index j = 0; j < a.cols(); ++j) {
    a.col(j).tail(a.rows() - j).array() *= v.tail(a.rows() - j).array() * v[j];
    a(j, j) += beta;
  }
}

}  // namespace

void WeightedRegression::factor(const Vector& e, const Vector& c, Context& ctx) {
  if (by_features()) {
    if (e_.size() == 0 || e != e_) x_.feature_gram(e, gram_, ctx);
    factor_ = gram_;
    scale_both_sides(square_roots(c), beta_, factor_);
  } else {
    x_.sample_gram(c, factor_, ctx);
    scale_both_sides(square_roots(e), beta_, factor_);
  }
  e_ = e;
  c_ = c;
  if (!cholesky(factor_, ctx)) {
    throw usage_error("the regression is not positive definite: values are too large for beta",
                      "expected scaled features, or a larger `beta`");
  }
}

WeightedRegression::Solution WeightedRegression::solve(const Matrix& y, Context& ctx) const {
  Solution solution;
  if (by_features()) {
    const Vector root = square_roots(c_);
    Matrix right = (x_.times(y * e_.asDiagonal(), ctx) * root.asDiagonal()).transpose();
    cholesky_solve(factor_, right, ctx);
    solution.weights = right.transpose() * root.asDiagonal();
    solution.fitted = x_.times_transposed(solution.weights, ctx);
  } else {
    const Vector root = square_roots(e_);
    Matrix right = (y * root.asDiagonal()).transpose();
    cholesky_solve(factor_, right, ctx);
    solution.weights = x_.times(right.transpose() * root.asDiagonal(), ctx) * c_.asDiagonal();
    solution.fitted = y - beta_ * right.transpose() * root.cwiseInverse().asDiagonal();
  }
  return solution;
}

double WeightedRegression::memory(Index samples, Index features) {
  const auto size = static_cast<double>(std::min(samples, features));
  return sizeof(double) * size * size * (features <= samples ? 2 : 1);
}

Vector column_norms(const Matrix& w) {
  return square_roots(w.colwise().squaredNorm().transpose());
}

}  // namespace clade
