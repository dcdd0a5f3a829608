#include "math/refined_factor.h"

#include <algorithm>
#include <vector>

#include "core/parallel.h"

namespace clade {
namespace {

constexpr double kTolerance = 1e-12;
constexpr double kSlowest = 1.0 / 16;  // a step must reduce the error to this; else double precision costs less
constexpr double kRounding = 1e-9;     // in a system that converges, only rounding of residuals stops it below this
constexpr int kMostSteps = 12;         // enough for the slowest
constexpr Index kColumnsPerTask = 64;

}  // namespace

bool RefinedFactor::set(const Vector& diagonal, const Columns& columns, Context& ctx) {
  const Index n = diagonal.size();
  scale_ = diagonal.cwiseSqrt().cwiseInverse();
  if (!scale_.allFinite()) return false;
  factor_.resize(n, n);
  parallel_for(ctx, n, kColumnsPerTask, [&](Index begin, Index end) {
    Matrix some(n - begin, end - begin);
    columns(begin, end, some);
    for (Index j = begin; j < end; ++j) {
      const Index below = n - j;
      factor_.col(j).tail(below) =
          (scale_(j) * some.col(j - begin).tail(below).cwiseProduct(scale_.tail(below))).template cast<float>();
      factor_(j, j) = 1;
    }
  });
  return cholesky(factor_, ctx);
}

bool RefinedFactor::set_inner_product(const Matrix& x, const Vector& v, Context& ctx) {
  const Index n = x.cols();
  scale_ = Vector::Ones(n);
  const Vector roots = v.cwiseSqrt();
  FloatMatrix scaled(x.rows(), n);
  parallel_for(ctx, n, kColumnsPerTask, [&](Index begin, Index end) {
    scaled.middleCols(begin, end - begin) =
        (roots.asDiagonal() * x.middleCols(begin, end - begin)).template cast<float>();
  });
  factor_.setZero(n, n);
  add_inner_product(scaled, factor_, ctx);
  factor_.diagonal().array() += 1;
  return cholesky(factor_, ctx);
}

// Columns are brought to a largest element of 1 before they are rounded, because residuals become small.
Matrix RefinedFactor::approximate(const Matrix& b, Context& ctx) const {
  Matrix scaled = scale_.asDiagonal() * b;
  Eigen::RowVectorXd sizes = scaled.colwise().lpNorm<Eigen::Infinity>();
  sizes = (sizes.array() > 0).select(sizes, 1.0);
  FloatMatrix x = (scaled * sizes.cwiseInverse().asDiagonal()).cast<float>();
  cholesky_solve(factor_, x, ctx);
  scaled = x.cast<double>();
  return scale_.asDiagonal() * scaled * sizes.asDiagonal();
}

// The largest of all columns, in the scaled system, where rows with a large penalty count as much as others.
double RefinedFactor::relative_change(const Matrix& change, const Matrix& x) const {
  const Vector inverse = scale_.cwiseInverse();
  double largest = 0;
  for (Index c = 0; c < x.cols(); ++c) {
    const double size = x.col(c).cwiseProduct(inverse).lpNorm<Eigen::Infinity>();
    const double moved = change.col(c).cwiseProduct(inverse).lpNorm<Eigen::Infinity>();
    if (moved > 0 || !(size >= 0)) largest = std::max(largest, size > 0 ? moved / size : 1.0);
  }
  return largest;
}

bool RefinedFactor::solve(const Multiply& multiply, Matrix& b, Context& ctx) const {
  std::vector<Index> used;  // the solution of 0 is 0
  for (Index c = 0; c < b.cols(); ++c) {
    if (!b.col(c).isZero(0)) used.push_back(c);
  }
  const Matrix right = b(Eigen::all, used);
  Matrix x = approximate(right, ctx);
  double before = 1;
  for (int step = 0; step < kMostSteps && x.allFinite(); ++step) {
    const Matrix change = approximate(right - multiply(x), ctx);
    x += change;
    const double now = relative_change(change, x);
    const bool is_slow = !(now <= kSlowest * before);
    if (is_slow && !(now <= kRounding)) return false;
    // The error falls from step to step by about the same factor, and so is now smaller than the change; unless it is
    // that of the residuals, which double precision would have throughout.
    if (is_slow || now * (now / before) <= kTolerance) {
      if (!x.allFinite()) return false;
      b(Eigen::all, used) = x;
      return true;
    }
    before = now;
  }
  return false;
}

}  // namespace clade
