#include "select/weighted_regression.h"

#include <algorithm>
#include <limits>

namespace clade {
namespace {

// diag(v) A diag(v), lower triangle.
void scale_both_sides(const Vector& v, Matrix& a) {
  for (Index j = 0; j < a.cols(); ++j) {
    a.col(j).tail(a.rows() - j).array() *= v.tail(a.rows() - j).array() * v[j];
  }
}

}  // namespace

void WeightedRegression::assemble(const Vector& e, const Vector& c, Context& ctx) {
  if (!by_features()) {
    x_.sample_gram(c, factor_, ctx);
    scale_both_sides(square_roots(e), factor_);
  } else {
    if (kind_ == Gram::kMadeAnew) {
      x_.feature_gram(e, factor_, ctx);
    } else {
      if (e_.size() == 0 || e != e_) x_.feature_gram(e, gram_, ctx);
      factor_ = gram_;
    }
    scale_both_sides(square_roots(c), factor_);
  }
  e_ = e;
  c_ = c;
  ridge_ = asked_ridge_;
}

bool WeightedRegression::factor(const Vector& e, const Vector& c, Context& ctx) {
  assemble(e, c, ctx);
  factor_.diagonal().array() += ridge_;
  return cholesky(factor_, ctx);
}

bool WeightedRegression::factor_with_larger_ridge(const Vector& e, const Vector& c, Context& ctx) {
  assemble(e, c, ctx);
  // Keeps the matrix in the upper triangle, which the factorisation leaves alone, for another attempt.
  factor_.triangularView<Eigen::StrictlyUpper>() = factor_.transpose();
  const Vector diagonal = factor_.diagonal();
  factor_.diagonal().array() += ridge_;
  const double largest = std::max(ridge_, diagonal.maxCoeff());
  double step = std::numeric_limits<double>::epsilon() * largest;
  while (!cholesky(factor_, ctx)) {
    if (!(step < largest)) return false;
    factor_.triangularView<Eigen::StrictlyLower>() = factor_.transpose();
    step *= 4;
    ridge_ += step;
    factor_.diagonal() = diagonal.array() + ridge_;
  }
  return true;
}

WeightedRegression::Solution WeightedRegression::solve(const Matrix& y, Context& ctx) const {
  Solution solution;
  if (by_features()) {
    const Vector root = square_roots(c_);
    Matrix right = (x_.times(y * e_.asDiagonal(), ctx) * root.asDiagonal()).transpose();
    cholesky_solve(factor_, right, ctx);
    solution.weights = right.transpose() * root.asDiagonal();
    solution.fitted = x_.times_transposed(solution.weights, ctx);
    solution.residual = solution.fitted - y;
  } else {
    const Vector root = square_roots(e_);
    Matrix right = (y * root.asDiagonal()).transpose();
    cholesky_solve(factor_, right, ctx);
    const Matrix scaled = right.transpose() * root.asDiagonal();
    solution.weights = x_.times(scaled, ctx) * c_.asDiagonal();
    solution.fitted = y - ridge_ * right.transpose() * root.cwiseInverse().asDiagonal();
    solution.residual = -ridge_ * (scaled * e_.cwiseInverse().asDiagonal());
  }
  return solution;
}

double WeightedRegression::memory(Index samples, Index features, Gram gram) {
  const auto size = static_cast<double>(std::min(samples, features));
  return sizeof(double) * size * size * (features <= samples && gram == Gram::kKept ? 2 : 1);
}

Vector column_norms(const Matrix& w) {
  return square_roots(w.colwise().squaredNorm().transpose());
}

}  // namespace clade
