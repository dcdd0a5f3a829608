#include "classify/linear/newton_hinge.h"

#include <algorithm>
#include <cmath>

namespace clade {

bool NewtonHinge::suits(const TrainingRows& rows, const HingeOptions& options) {
  constexpr Index kWidest = 512;
  const bool is_dense = 2 * std::ssize(rows.values) >= rows.rows() * rows.width();
  return options.loss == Loss::kSquaredHinge && is_dense && rows.width() <= kWidest &&
         rows.rows() >= 2 * (rows.width() + 1);
}

NewtonHinge::NewtonHinge(const TrainingRows& rows, std::span<const double> weight, const HingeOptions& options,
                         Context& ctx)
    : options_(options) {
  const Index width = rows.width() + 1;
  x_ = Matrix::Zero(width, rows.rows());
  cost_.resize(rows.rows());
  for (Index r = 0; r < rows.rows(); ++r) {
    const auto columns = rows.columns_of(r);
    const auto values = rows.values_of(r);
    for (std::size_t k = 0; k < columns.size(); ++k) x_(columns[k], r) = values[k];
    x_(width - 1, r) = options.bias;
    cost_(r) = 2 * options.c * (weight.empty() ? 1 : weight[static_cast<std::size_t>(r)]);
  }
  all_ = Matrix::Identity(width, width);
  add_outer_product(x_ * cost_.cwiseSqrt().asDiagonal(), all_, ctx);
  factor_ = all_;
  is_finite_ = cholesky(factor_, ctx);
  sum_ = x_ * cost_;
  for (Index r = 0; r < x_.cols(); ++r) longest_ = std::max(longest_, x_.col(r).norm());
}

// The state of one problem.
class NewtonHinge::Descent {
 public:
  Descent(const NewtonHinge& problem, std::span<const Index> positives, Context& ctx)
      : problem_(problem), ctx_(ctx), sign_(Vector::Constant(problem.x_.cols(), -1)) {
    Vector all = -problem.sum_;
    for (const Index r : positives) {
      sign_(r) = 1;
      all += 2 * problem.cost_(r) * problem.x_.col(r);
    }
    Matrix w = all;
    cholesky_solve(problem.factor_, w, ctx);
    w_ = w;
    decisions_ = problem.x_.transpose() * w_;
    objective_ = objective(w_, decisions_);
    // The rows with a loss are added up, or the others taken from the sum of all.
    has_loss_ = with_loss(decisions_);
    const bool is_most = 2 * std::ranges::count(has_loss_, 1) > std::ssize(has_loss_);
    hessian_ = is_most ? problem.all_ : Matrix::Identity(w_.size(), w_.size());
    right_side_ = is_most ? all : Vector::Zero(w_.size());
    std::vector<Index> changed;
    for (std::size_t r = 0; r < has_loss_.size(); ++r) {
      if ((has_loss_[r] == 0) == is_most) changed.push_back(static_cast<Index>(r));
    }
    change(changed, is_most ? -1 : 1);
  }

  // True once the solution is found.
  bool step() {
    factor_ = hessian_;
    Matrix target = right_side_;
    if (!cholesky(factor_, ctx_)) {
      w_.setConstant(std::nan(""));
      return true;
    }
    cholesky_solve(factor_, target, ctx_);
    const Vector all_the_way = problem_.x_.transpose() * target;
    const Vector step = target - w_;
    const double slope = step.dot(gradient());
    constexpr double kEnough = 1e-4;
    constexpr double kShortest = 1e-10;
    double part = 1;
    Vector w = target;
    Vector decisions = all_the_way;
    double value = objective(w, decisions);
    while (value > objective_ + kEnough * part * slope && part > kShortest) {
      part /= 2;
      w = w_ + part * step;
      decisions = decisions_ + part * (all_the_way - decisions_);
      value = objective(w, decisions);
    }
    w_ = std::move(w);
    decisions_ = std::move(decisions);
    objective_ = value;
    const bool is_same = update();
    // With w - gradient for weights, no projected gradient of the dual is farther from 0 than what that changes.
    return (is_same && part == 1) || part <= kShortest ||
           2 * gradient().norm() * problem_.longest_ <= problem_.options_.tolerance;
  }

  Solution solution(std::span<const Index> held_out) const {
    Solution solution;
    solution.w.assign(w_.data(), w_.data() + w_.size() - 1);
    solution.bias = w_(w_.size() - 1) * problem_.options_.bias;
    solution.objective = objective_;
    for (const Index r : held_out) {
      double decision = decisions_(r);
      if (has_loss_[static_cast<std::size_t>(r)] != 0) {
        const Vector part = factor_.triangularView<Eigen::Lower>().solve(problem_.x_.col(r));
        const double h = part.squaredNorm();
        decision -= alpha(r) * sign_(r) * h / std::max(1e-9, 1 - problem_.cost_(r) * h);
      }
      solution.held_out.push_back(decision);
    }
    return solution;
  }

 private:
  std::vector<char> with_loss(const Vector& decisions) const {
    std::vector<char> has_loss(static_cast<std::size_t>(decisions.size()));
    for (Index r = 0; r < decisions.size(); ++r) {
      has_loss[static_cast<std::size_t>(r)] = sign_(r) * decisions(r) < 1 ? 1 : 0;
    }
    return has_loss;
  }
  double alpha(Index r) const { return problem_.cost_(r) * std::max(0.0, 1 - sign_(r) * decisions_(r)); }
  double objective(const Vector& w, const Vector& decisions) const {
    const Vector slack = (1 - sign_.array() * decisions.array()).max(0);
    return 0.5 * w.squaredNorm() + 0.5 * problem_.cost_.dot(slack.cwiseAbs2());
  }
  Vector gradient() const { return hessian_.selfadjointView<Eigen::Lower>() * w_ - right_side_; }

  // Finds the rows with a loss; true if they are the same as before.
  bool update() {
    const std::vector<char> now = with_loss(decisions_);
    std::vector<Index> joined;
    std::vector<Index> left;
    for (std::size_t r = 0; r < now.size(); ++r) {
      if (now[r] != has_loss_[r]) (now[r] != 0 ? joined : left).push_back(static_cast<Index>(r));
    }
    has_loss_ = now;
    change(joined, 1);
    change(left, -1);
    return joined.empty() && left.empty();
  }
  void change(const std::vector<Index>& rows, double sign) {
    constexpr std::size_t kTogether = 256;
    for (std::size_t begin = 0; begin < rows.size(); begin += kTogether) {
      const std::size_t count = std::min(kTogether, rows.size() - begin);
      Matrix part(w_.size(), static_cast<Index>(count));
      for (std::size_t k = 0; k < count; ++k) {
        const Index r = rows[begin + k];
        part.col(static_cast<Index>(k)) = std::sqrt(problem_.cost_(r)) * problem_.x_.col(r);
        right_side_ += sign * problem_.cost_(r) * sign_(r) * problem_.x_.col(r);
      }
      add_outer_product(part, hessian_, ctx_, sign);
    }
  }

  const NewtonHinge& problem_;
  Context& ctx_;
  Vector sign_;
  Vector w_;
  Vector decisions_;
  std::vector<char> has_loss_;
  Matrix hessian_;  // lower triangle of I + sum_A 2 c_i x_i x_i'
  Vector right_side_;
  Matrix factor_;
  double objective_ = 0;
};

NewtonHinge::Solution NewtonHinge::solve(std::span<const Index> positives, std::span<const Index> held_out,
                                         Context& ctx) const {
  if (!is_finite_) {
    const double nan = std::nan("");
    return {.w = std::vector<double>(static_cast<std::size_t>(x_.rows() - 1), nan),
            .bias = nan,
            .held_out = std::vector<double>(held_out.size(), nan)};
  }
  Descent descent(*this, positives, ctx);
  int steps = 0;
  bool has_converged = false;
  while (steps < options_.iterations && !has_converged) {
    ctx.check_cancelled();
    has_converged = descent.step();
    ++steps;
  }
  Solution solution = descent.solution(held_out);
  solution.iterations = steps;
  solution.has_converged = has_converged;
  return solution;
}

}  // namespace clade
