#include "classify/linear/smo.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/check.h"
#include "data/kernel/kernel_rows.h"

namespace clade {
namespace {

constexpr Index kKernelBytes = Index{512} << 20;
constexpr double kTau = 1e-12;  // the least curvature: equal rows have none
constexpr Index kLeastLimit = 10'000'000;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Values = Eigen::ArrayXd;
using ConstMap = Eigen::Map<const Values>;

KernelArrays taken_rows(const TrainingRows& rows, std::span<const Index> taken) {
  KernelArrays arrays{.width = rows.width()};
  for (const Index r : taken) {
    const auto columns = rows.columns_of(r);
    const auto values = rows.values_of(r);
    arrays.columns.insert(arrays.columns.end(), columns.begin(), columns.end());
    arrays.values.insert(arrays.values.end(), values.begin(), values.end());
    arrays.offsets.push_back(std::ssize(arrays.columns));
  }
  return arrays;
}

// The rows among which steps are taken: all of them, or those left after shrinking. Their values are copied next to
// each other, so that the kernel between few rows stays in the processor's cache.
//
// Works with v_t = y_t - w . x_t = -y_t G_t, where G is the gradient of the dual. A step s along the pair (i, j) raises
// y_i a_i by s and lowers y_j a_j by s, so the loops over rows need no signs.
class WorkingSet {
 public:
  // `part` has the numbers of the rows in the kernel; y, c, a, v are for all rows.
  WorkingSet(KernelRows& kernel, std::vector<Index> part, const Values& y, const Values& c, const Values& a,
             const Values& v)
      : kernel_(&kernel), part_(std::move(part)), y_(y(part_)), c_(c(part_)), a_(a(part_)), v_(v(part_)) {
    diagonal_ = kernel.diagonal()(part_);
    gain_.resize(size());
    up_.resize(size());
    low_.resize(size());
    for (Index t = 0; t < size(); ++t) update_bounds(t);
    if (is_all()) return;
    between_.resize(size(), size());
    has_row_.assign(part_.size(), 0);
  }

  Index size() const { return static_cast<Index>(part_.size()); }
  bool is_all() const { return size() == kernel_->size(); }

  // One step along the pair chosen by second order. False if no pair violates the conditions by more than the
  // tolerance.
  bool step(double tolerance) {
    if (!find_bounds() || !(most_ - least_ >= tolerance)) return false;
    const Index i = last_equal(gain_, most_);
    const ConstMap row_i(row(i), size());
    gain_ = (most_ - v_).max(0).square() / (diagonal_(i) + diagonal_ - 2 * row_i).max(kTau) + low_;
    move(i, last_equal(gain_, gain_.maxCoeff()), row_i);
    return true;
  }

  // The rows that do not seem to be at a bound for good, judged by the violating pair.
  std::vector<Index> remaining() {
    std::vector<Index> left;
    if (!find_bounds()) return part_;
    for (Index t = 0; t < size(); ++t) {
      const bool can_rise = up_(t) == 0 && v_(t) >= least_;
      const bool can_fall = low_(t) == 0 && v_(t) <= most_;
      if (can_rise || can_fall) left.push_back(part_[static_cast<std::size_t>(t)]);
    }
    return left;
  }

  void give_back(Values& a, Values& v) const {
    a(part_) = a_;
    v(part_) = v_;
  }

  // The bias by the optimality conditions: its value at the free rows, or else between its bounds.
  double bias() const {
    double sum = 0;
    Index free = 0;
    double least = -kInfinity;
    double most = kInfinity;
    for (Index t = 0; t < size(); ++t) {
      const bool can_rise = up_(t) == 0;
      const bool can_fall = low_(t) == 0;
      if (can_rise && can_fall) {
        sum += v_(t);
        ++free;
      } else if (can_rise) {
        least = std::max(least, v_(t));
      } else if (can_fall) {
        most = std::min(most, v_(t));
      }
    }
    if (free > 0) return sum / static_cast<double>(free);
    // With one side alone nothing moves; its only bound puts all rows on that side.
    if (std::isinf(least) || std::isinf(most)) return std::isinf(least) ? (std::isinf(most) ? 0 : most) : least;
    return (least + most) / 2;
  }

 private:
  // y_t a_t can rise where up_ is 0, and fall where low_ is 0; a value of -infinity takes the row out of a maximum.
  void update_bounds(Index t) {
    const bool below = a_(t) < c_(t);
    const bool above = a_(t) > 0;
    up_(t) = (y_(t) > 0 ? below : above) ? 0 : -kInfinity;
    low_(t) = (y_(t) > 0 ? above : below) ? 0 : -kInfinity;
  }

  bool find_bounds() {
    if (size() == 0) return false;
    gain_ = v_ + up_;
    most_ = gain_.maxCoeff();
    least_ = -(low_ - v_).maxCoeff();
    return std::isfinite(most_) && std::isfinite(least_);
  }

  // The last of equals, as in libsvm: on data with many ties the path to the optimum is then the same.
  static Index last_equal(const Values& values, double wanted) {
    constexpr Index kBlock = 128;  // skipped by its maximum, many entries at a time
    Index end = values.size();
    while (end > kBlock && values.segment(end - kBlock, kBlock).maxCoeff() < wanted) end -= kBlock;
    Index t = end - 1;
    while (t > 0 && values(t) != wanted) --t;
    return t;
  }

  const double* row(Index t) {
    const Index whole = part_[static_cast<std::size_t>(t)];
    if (is_all()) return kernel_->row(whole);
    if (has_row_[static_cast<std::size_t>(t)] == 0) {
      const double* const from = kernel_->row(whole);
      for (Index k = 0; k < size(); ++k) between_(k, t) = from[part_[static_cast<std::size_t>(k)]];
      has_row_[static_cast<std::size_t>(t)] = 1;
    }
    return between_.col(t).data();
  }

  void move(Index i, Index j, const ConstMap& row_i) {
    const ConstMap row_j(row(j), size());
    const double curvature = std::max(kTau, diagonal_(i) + diagonal_(j) - 2 * row_i(j));
    const double room_i = y_(i) > 0 ? c_(i) - a_(i) : a_(i);
    const double room_j = y_(j) > 0 ? a_(j) : c_(j) - a_(j);
    const double length = std::min({(v_(i) - v_(j)) / curvature, room_i, room_j});
    // A variable that reaches its bound is set to it exactly.
    a_(i) = length == room_i ? (y_(i) > 0 ? c_(i) : 0) : a_(i) + y_(i) * length;
    a_(j) = length == room_j ? (y_(j) > 0 ? 0 : c_(j)) : a_(j) - y_(j) * length;
    update_bounds(i);
    update_bounds(j);
    v_ -= length * (row_i - row_j);
  }

  KernelRows* kernel_;
  std::vector<Index> part_;
  Values y_;
  Values c_;
  Values a_;
  Values v_;
  Values diagonal_;
  Values up_;
  Values low_;
  Values gain_;
  double most_ = 0;   // of v over the rows that can rise
  double least_ = 0;  // of v over the rows that can fall
  Matrix between_;    // the kernel of a part; rows are filled when first asked for
  std::vector<char> has_row_;
};

// The variables of all rows, and the result.
class Solver {
 public:
  Solver(const TrainingRows& rows, std::span<const Index> taken, std::span<const std::int8_t> sign, Values c,
         Context& ctx)
      : rows_(rows),
        taken_(taken),
        ctx_(ctx),
        samples_(taken_rows(rows, taken), KernelOptions{}, ctx),
        kernel_(samples_, KernelOptions{}, kKernelBytes, ctx),
        c_(std::move(c)) {
    y_.resize(c_.size());
    for (Index t = 0; t < y_.size(); ++t) y_(t) = sign[static_cast<std::size_t>(t)];
    a_ = Values::Zero(y_.size());
    v_ = y_;
  }

  SmoResult run(double tolerance) {
    SmoResult result;
    WorkingSet set = all();
    const Index limit = std::max(kLeastLimit, 100 * kernel_.size());
    const Index look_every = std::clamp<Index>(kernel_.size(), 100, 1000);
    for (; result.iterations < limit; ++result.iterations) {
      if (result.iterations % look_every == 0 && result.iterations > 0) {
        ctx_.check_cancelled();
        shrink(set);
      }
      if (set.step(tolerance)) continue;
      if (set.is_all()) break;
      set = widened(set);
      if (!set.step(tolerance)) break;
    }
    if (!set.is_all()) set = widened(set);
    result.bias = set.bias();
    set.give_back(a_, v_);
    result.w = direction();
    result.objective = Eigen::Map<const Vector>(result.w.data(), rows_.width()).squaredNorm() / 2 - a_.sum();
    return result;
  }

 private:
  WorkingSet all() {
    std::vector<Index> part(taken_.size());
    std::iota(part.begin(), part.end(), Index{0});
    return WorkingSet(kernel_, std::move(part), y_, c_, a_, v_);
  }

  // Shrinks only to fewer than half of the rows, so that the copy soon pays off.
  void shrink(WorkingSet& set) {
    std::vector<Index> left = set.remaining();
    const auto size = static_cast<Index>(left.size());
    if (2 * size > set.size() || size < 2 || size > kKernelBytes / Index{sizeof(double)} / size) return;
    set.give_back(a_, v_);
    set = WorkingSet(kernel_, std::move(left), y_, c_, a_, v_);
  }

  // Back to all rows; recomputes the gradients that were not updated.
  WorkingSet widened(const WorkingSet& set) {
    set.give_back(a_, v_);
    const std::vector<double> w = direction();
    for (Index t = 0; t < v_.size(); ++t) {
      const auto columns = rows_.columns_of(taken_[static_cast<std::size_t>(t)]);
      const auto values = rows_.values_of(taken_[static_cast<std::size_t>(t)]);
      double product = 0;
      for (std::size_t e = 0; e < columns.size(); ++e) product += w[static_cast<std::size_t>(columns[e])] * values[e];
      v_(t) = y_(t) - product;
    }
    return all();
  }

  std::vector<double> direction() const {
    std::vector<double> w(static_cast<std::size_t>(rows_.width()), 0.0);
    for (Index t = 0; t < a_.size(); ++t) {
      const double factor = y_(t) * a_(t);
      if (factor == 0) continue;
      const auto columns = rows_.columns_of(taken_[static_cast<std::size_t>(t)]);
      const auto values = rows_.values_of(taken_[static_cast<std::size_t>(t)]);
      for (std::size_t e = 0; e < columns.size(); ++e) w[static_cast<std::size_t>(columns[e])] += factor * values[e];
    }
    return w;
  }

  const TrainingRows& rows_;
  std::span<const Index> taken_;
  Context& ctx_;
  KernelSamples samples_;
  KernelRows kernel_;
  Values c_;
  Values y_;
  Values a_;
  Values v_;
};

}  // namespace

SmoResult smo(const TrainingRows& rows, std::span<const Index> taken, std::span<const std::int8_t> sign,
              std::span<const double> weight, const SmoOptions& options, Context& ctx) {
  CLADE_CHECK(sign.size() == taken.size());
  CLADE_CHECK(weight.empty() || weight.size() == taken.size());
  Values c = Values::Constant(static_cast<Index>(taken.size()), options.c);
  if (!weight.empty()) c *= ConstMap(weight.data(), c.size());
  return Solver(rows, taken, sign, std::move(c), ctx).run(options.tolerance);
}

}  // namespace clade
