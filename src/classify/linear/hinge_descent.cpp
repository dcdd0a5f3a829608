#include "classify/linear/hinge_descent.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/fetch_ahead.h"

namespace clade {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void prefetch(const HingeDescent::Member& member) {
  constexpr std::int32_t kLine = 64;
  for (std::int32_t k = 0; k < member.entries; k += kLine / std::int32_t{sizeof(std::int32_t)}) {
    fetch_ahead(member.columns + k);
  }
  for (std::int32_t k = 0; k < member.entries; k += kLine / std::int32_t{sizeof(double)}) {
    fetch_ahead(member.values + k);
  }
}

}  // namespace

HingeDescent::HingeDescent(const TrainingRows& rows, std::span<const double> squares, const HingeOptions& options)
    : rows_(&rows), squares_(squares), options_(&options), random_(options.seed, {kSolverStream, options.stream}) {
  w_.assign(static_cast<std::size_t>(rows.width()), 0);
  activate_all();
}

void HingeDescent::join(Index row, std::int8_t sign, double weight, double alpha) {
  Member member = member_of(row);
  member.sign = sign;
  const double cost = options_->c * weight;
  const bool is_bounded = options_->loss == Loss::kHinge || cost == 0;
  member.bound = is_bounded ? cost : kInfinity;
  member.ridge = is_bounded ? 0 : 0.5 / cost;
  member.diagonal = squares_[static_cast<std::size_t>(row)] + options_->bias * options_->bias + member.ridge;
  // A row without values moves nothing; its variable rises to the bound.
  member.alpha = member.diagonal == 0 ? member.bound : std::min(alpha, member.bound);
  if (member.alpha != 0) add(member, member.alpha * sign);
  // Rows of weight 0, or without values, play no part.
  if (member.bound != 0 && member.diagonal != 0) order_.push_back(static_cast<std::int32_t>(members_.size()));
  members_.push_back(member);
  activate_all();
}

HingeDescent::Member HingeDescent::member_of(Index row) const {
  return {.row = static_cast<std::int32_t>(row),
          .entries = static_cast<std::int32_t>(rows_->columns_of(row).size()),
          .columns = rows_->columns_of(row).data(),
          .values = rows_->values_of(row).data()};
}

void HingeDescent::renew_order() {
  order_.clear();
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (members_[m].bound != 0 && members_[m].diagonal != 0) order_.push_back(static_cast<std::int32_t>(m));
  }
  activate_all();
}

void HingeDescent::activate_all() {
  active_ = order_.size();
  highest_before_ = kInfinity;
  lowest_before_ = -kInfinity;
}

int HingeDescent::solve(double tolerance, int most, Context& ctx) {
  activate_all();
  has_converged_ = false;
  int passes = 0;
  while (passes < most && !has_converged_) {
    ctx.check_cancelled();
    const double spread = pass();
    ++passes;
    if (spread > tolerance) continue;
    has_converged_ = active_ == order_.size();
    activate_all();
  }
  return passes;
}

// One pass; returns the spread of the projected gradients it met.
double HingeDescent::pass() {
  random_.shuffle(std::span(order_).first(active_));
  double highest = -kInfinity;
  double lowest = kInfinity;
  for (std::size_t k = 0; k < active_; ++k) {
    // The order is random, so that no processor knows what comes next.
    if (k + 4 < active_) fetch_ahead(&members_[static_cast<std::size_t>(order_[k + 4])]);
    if (k + 2 < active_) prefetch(members_[static_cast<std::size_t>(order_[k + 2])]);
    Member& member = members_[static_cast<std::size_t>(order_[k])];
    const double gradient = member.sign * decision(member) - 1 + member.ridge * member.alpha;
    double projected = gradient;
    if (member.alpha == 0) {
      if (gradient > highest_before_) {
        leave_out(k);
        continue;
      }
      projected = std::min(gradient, 0.0);
    } else if (member.alpha == member.bound) {
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
    const double before = member.alpha;
    member.alpha = std::clamp(before - gradient / member.diagonal, 0.0, member.bound);
    add(member, (member.alpha - before) * member.sign);
  }
  highest_ = std::max(highest, 0.0);
  lowest_ = std::min(lowest, 0.0);
  highest_before_ = highest > 0 ? highest : kInfinity;
  lowest_before_ = lowest < 0 ? lowest : -kInfinity;
  return active_ == 0 ? 0 : highest - lowest;
}

// Four sums side by side: one alone would wait for each addition to end.
double HingeDescent::decision(const Member& member) const {
  const std::int32_t* const columns = member.columns;
  const double* const values = member.values;
  const double* const w = w_.data();
  double a = bias_ * options_->bias;
  double b = 0;
  double c = 0;
  double d = 0;
  std::int32_t k = 0;
  for (; k + 4 <= member.entries; k += 4) {
    a += w[columns[k]] * values[k];
    b += w[columns[k + 1]] * values[k + 1];
    c += w[columns[k + 2]] * values[k + 2];
    d += w[columns[k + 3]] * values[k + 3];
  }
  for (; k < member.entries; ++k) a += w[columns[k]] * values[k];
  return (a + b) + (c + d);
}

void HingeDescent::add(const Member& member, double amount) {
  double* const w = w_.data();
  for (std::int32_t k = 0; k < member.entries; ++k) w[member.columns[k]] += amount * member.values[k];
  bias_ += amount * options_->bias;
}

HingeResult HingeDescent::result() && {
  HingeResult result;
  double norm = bias_ * bias_;
  for (const double value : w_) norm += value * value;
  double loss = 0;
  double dual = -0.5 * norm;
  for (const Member& member : members_) {
    const double slack = std::max(0.0, 1 - member.sign * decision(member));
    const double cost = member.ridge == 0 ? member.bound : 0.5 / member.ridge;
    loss += cost * (options_->loss == Loss::kHinge ? slack : slack * slack);
    dual += member.alpha - 0.5 * member.ridge * member.alpha * member.alpha;
    result.alpha.push_back(member.alpha);
  }
  result.objective = 0.5 * norm + loss;
  result.gap = result.objective - dual;
  result.bias = bias();
  result.w = std::move(w_);
  result.has_converged = has_converged_;
  return result;
}

std::vector<double> squared_lengths(const TrainingRows& rows) {
  std::vector<double> squares(static_cast<std::size_t>(rows.rows()), 0);
  for (Index r = 0; r < rows.rows(); ++r) {
    for (const double value : rows.values_of(r)) squares[static_cast<std::size_t>(r)] += value * value;
  }
  return squares;
}

}  // namespace clade
