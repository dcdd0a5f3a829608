#include "classify/linear/hinge_dual.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/random.h"

namespace clade {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The state of the dual during its descent.
class Descent {
 public:
  Descent(const TrainingRows& rows, std::span<const std::int8_t> sign, std::span<const double> weight,
          std::span<const double> start, const HingeOptions& options)
      : rows_(rows), sign_(sign), options_(options), random_(options.seed, {kSolverStream, options.stream}) {
    const auto n = static_cast<std::size_t>(rows.rows());
    w_.assign(static_cast<std::size_t>(rows.width()), 0);
    alpha_.assign(n, 0);
    if (!start.empty()) std::copy(start.begin(), start.end(), alpha_.begin());
    cost_.resize(n);
    bound_.resize(n);
    ridge_.resize(n);
    diagonal_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      cost_[i] = options.c * (weight.empty() ? 1 : weight[i]);
      bound_[i] = options.loss == Loss::kHinge || cost_[i] == 0 ? cost_[i] : kInfinity;
      ridge_[i] = options.loss == Loss::kHinge || cost_[i] == 0 ? 0 : 0.5 / cost_[i];
      double square = options.bias * options.bias;
      for (const double value : rows.values_of(static_cast<Index>(i))) square += value * value;
      diagonal_[i] = square + ridge_[i];
      // A row without values moves nothing; its variable rises to the bound.
      alpha_[i] = diagonal_[i] == 0 ? bound_[i] : std::min(alpha_[i], bound_[i]);
      if (alpha_[i] != 0) add(i, alpha_[i] * sign_[i]);
    }
    order_.resize(n);
    std::iota(order_.begin(), order_.end(), 0);
    // Rows of weight 0, or without values, play no part.
    std::erase_if(order_, [&](std::int32_t i) {
      const auto at = static_cast<std::size_t>(i);
      return bound_[at] == 0 || diagonal_[at] == 0;
    });
    active_ = order_.size();
  }

  // One pass; returns the spread of the projected gradients it met.
  double pass() {
    random_.shuffle(std::span(order_).first(active_));
    double highest = -kInfinity;
    double lowest = kInfinity;
    for (std::size_t k = 0; k < active_; ++k) {
      const auto i = static_cast<std::size_t>(order_[k]);
      const double gradient = sign_[i] * decision(i) - 1 + ridge_[i] * alpha_[i];
      double projected = gradient;
      if (alpha_[i] == 0) {
        if (gradient > highest_before_) {
          leave_out(k);
          continue;
        }
        projected = std::min(gradient, 0.0);
      } else if (alpha_[i] == bound_[i]) {
        if (gradient < lowest_before_) {
          leave_out(k);
          continue;
        }
        projected = std::max(gradient, 0.0);
      }
      highest = std::max(highest, projected);
      lowest = std::min(lowest, projected);
      constexpr double kNothing = 1e-12;
      if (std::abs(projected) <= kNothing) continue;
      const double before = alpha_[i];
      alpha_[i] = std::clamp(before - gradient / diagonal_[i], 0.0, bound_[i]);
      add(i, (alpha_[i] - before) * sign_[i]);
    }
    highest_before_ = highest > 0 ? highest : kInfinity;
    lowest_before_ = lowest < 0 ? lowest : -kInfinity;
    return active_ == 0 ? 0 : highest - lowest;
  }

  bool is_whole() const { return active_ == order_.size(); }
  void activate_all() {
    active_ = order_.size();
    highest_before_ = kInfinity;
    lowest_before_ = -kInfinity;
  }

  HingeResult result() && {
    HingeResult result;
    double norm = bias_ * bias_;
    for (const double value : w_) norm += value * value;
    double loss = 0;
    double dual = -0.5 * norm;
    for (std::size_t i = 0; i < alpha_.size(); ++i) {
      const double slack = std::max(0.0, 1 - sign_[i] * decision(i));
      loss += cost_[i] * (options_.loss == Loss::kHinge ? slack : slack * slack);
      dual += alpha_[i] - 0.5 * ridge_[i] * alpha_[i] * alpha_[i];
    }
    result.objective = 0.5 * norm + loss;
    result.gap = result.objective - dual;
    result.bias = bias_ * options_.bias;
    result.w = std::move(w_);
    result.alpha = std::move(alpha_);
    return result;
  }

 private:
  double decision(std::size_t i) const {
    const auto columns = rows_.columns_of(static_cast<Index>(i));
    const auto values = rows_.values_of(static_cast<Index>(i));
    double sum = bias_ * options_.bias;
    const double* const w = w_.data();
    for (std::size_t k = 0; k < columns.size(); ++k) sum += w[columns[k]] * values[k];
    return sum;
  }
  void add(std::size_t i, double amount) {
    const auto columns = rows_.columns_of(static_cast<Index>(i));
    const auto values = rows_.values_of(static_cast<Index>(i));
    double* const w = w_.data();
    for (std::size_t k = 0; k < columns.size(); ++k) w[columns[k]] += amount * values[k];
    bias_ += amount * options_.bias;
  }
  // Swaps the row with the last active one, which is visited next.
  void leave_out(std::size_t& place) {
    std::swap(order_[place], order_[--active_]);
    --place;
  }

  const TrainingRows& rows_;
  std::span<const std::int8_t> sign_;
  const HingeOptions& options_;
  RandomStream random_;
  std::vector<double> w_;
  double bias_ = 0;  // weight of the constant feature
  std::vector<double> alpha_;
  std::vector<double> cost_;
  std::vector<double> bound_;
  std::vector<double> ridge_;
  std::vector<double> diagonal_;
  std::vector<std::int32_t> order_;
  std::size_t active_ = 0;
  double highest_before_ = kInfinity;
  double lowest_before_ = -kInfinity;
};

}  // namespace

HingeResult hinge_dual(const TrainingRows& rows, std::span<const std::int8_t> sign, std::span<const double> weight,
                       std::span<const double> start, const HingeOptions& options, Context& ctx) {
  Descent descent(rows, sign, weight, start, options);
  int passes = 0;
  bool has_converged = false;
  while (passes < options.iterations && !has_converged) {
    ctx.check_cancelled();
    const double spread = descent.pass();
    ++passes;
    if (spread > options.tolerance) continue;
    has_converged = descent.is_whole();
    descent.activate_all();
  }
  HingeResult result = std::move(descent).result();
  result.iterations = passes;
  result.has_converged = has_converged;
  return result;
}

}  // namespace clade
