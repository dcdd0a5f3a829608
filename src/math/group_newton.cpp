#include "math/group_newton.h"

#include <cmath>

namespace clade {
namespace {

constexpr int kConjugateGradients = 40;
constexpr double kForcing = 1e-3;  // of the residual, in the norm of the preconditioner
constexpr double kDampings[] = {1e-4, 0.1};
constexpr double kSmallestStep = 0.2;  // if the step must be smaller, a more cautious direction is better
constexpr double kEnough = 1e-3;       // of the fall that the slope promises

double inner(const Matrix& a, const Matrix& b) {
  return a.cwiseProduct(b).sum();
}

class NewtonStep {
 public:
  NewtonStep(QuadraticBlock& block, double lambda, const Matrix& g, Matrix& w, Context& ctx)
      : block_(block), lambda_(lambda), g_(g), w_(w), ctx_(ctx), norms_(w.rowwise().norm()) {
    unit_ = norms_.cwiseInverse().asDiagonal() * w_;
    slope_ = g_ - (lambda_ / 2) * unit_;
  }

  double take() {
    if (!block_.factor((lambda_ / 2) * norms_.cwiseInverse(), ctx_)) return 0;
    for (const double damping : kDampings) {
      const Matrix newton = newton_direction(damping);
      const double promised = 2 * inner(newton, slope_);
      for (double length = 1; length > kSmallestStep && std::isfinite(promised); length /= 2) {
        for (const bool stops_at_zero : {true, false}) {
          const double fall = try_move(length * newton, kEnough * length * promised, stops_at_zero);
          if (fall > 0) return fall;
        }
      }
    }
    Matrix reweighted = slope_;
    block_.solve(reweighted, ctx_);
    return try_move(reweighted, 0, false);
  }

 private:
  // (H + lambda/2 (D - (1 - damping) w w' / ||w||^3)) V
  Matrix curvature(const Matrix& v, double damping) const {
    Matrix result = block_.product(v, ctx_);
    const Vector along = unit_.cwiseProduct(v).rowwise().sum();
    const Matrix across = v - ((1 - damping) * along).asDiagonal() * unit_;
    result += (lambda_ / 2) * (norms_.cwiseInverse().asDiagonal() * across);
    return result;
  }

  Matrix newton_direction(double damping) const {
    Matrix solution = Matrix::Zero(w_.rows(), w_.cols());
    Matrix residual = slope_;
    Matrix scaled = residual;
    block_.solve(scaled, ctx_);
    Matrix direction = scaled;
    double size = inner(residual, scaled);
    const double enough = kForcing * kForcing * size;
    for (int k = 0; k < kConjugateGradients && size > enough; ++k) {
      ctx_.check_cancelled();
      const Matrix image = curvature(direction, damping);
      const double curve = inner(direction, image);
      if (!(curve > 0)) break;
      const double length = size / curve;
      solution += length * direction;
      residual -= length * image;
      scaled = residual;
      block_.solve(scaled, ctx_);
      const double next = inner(residual, scaled);
      direction = scaled + (next / size) * direction;
      size = next;
    }
    return solution;
  }

  // Moves if F falls by more than `least` >= 0.
  double try_move(const Matrix& step, double least, bool stops_at_zero) {
    Matrix moved = w_ + step;
    for (Index j = 0; stops_at_zero && j < moved.rows(); ++j) {
      if (moved.row(j).dot(w_.row(j)) <= 0) moved.row(j).setZero();
    }
    const Matrix change = moved - w_;
    const double smooth = inner(change, block_.product(change, ctx_)) - 2 * inner(change, g_);
    const double fall = -(smooth + lambda_ * (moved.rowwise().norm() - norms_).sum());
    if (!(fall > least)) return 0;
    w_ = moved;
    return fall;
  }

  QuadraticBlock& block_;
  double lambda_;
  const Matrix& g_;
  Matrix& w_;
  Context& ctx_;
  Vector norms_;
  Matrix unit_;
  Matrix slope_;  // half the negative gradient of F
};

}  // namespace

double newton_step(QuadraticBlock& block, double lambda, const Matrix& g, Matrix& w, Context& ctx) {
  return NewtonStep(block, lambda, g, w, ctx).take();
}

}  // namespace clade
