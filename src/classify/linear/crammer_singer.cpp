#include "classify/linear/crammer_singer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "classify/linear/row_sum.h"
#include "core/check.h"
#include "core/random.h"

namespace clade {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Index kFewClasses = 8;          // a list must be so many times shorter than all classes to be worth its jumps
constexpr int kInnerPasses = 20;          // over what is left, before all samples are looked at again
constexpr double kInnerShare = 0.1;       // of the violation of the last full pass: samples below it rest
constexpr double kTinyViolation = 1e-12;  // not worth a step
constexpr double kRounding = 1e-12;       // of a variable, as a share of its bound

// Entry m of a sample's dual variables, where it is not zero.
struct Variable {
  std::int32_t m;
  double value;
};

// Dual: min_a 1/2 sum_m ||w_m||^2 + sum_i sum_{m != y_i} a_im with w_m = sum_i a_im x_i, sum_m a_im = 0,
// a_im <= c_i [m = y_i]. The gradient of sample i is g_m = w_m . x_i + [m != y_i].
//
// Two kinds of shrinking. A full pass looks at all classes of all samples, and only a full pass can say that the
// tolerance is met. Between full passes only samples that violated lately are visited, and of their classes only those
// with a variable that is not zero. So the variables of a sample are kept as a short list.
class Solver {
 public:
  Solver(const TrainingRows& rows, std::span<const std::int32_t> label, Index classes, std::span<const double> weight,
         const CrammerSingerOptions& options, Context& ctx)
      : rows_(rows),
        label_(label),
        weight_(weight),
        classes_(classes),
        stride_(padded_classes(classes)),
        options_(options),
        ctx_(ctx),
        random_(options.seed, {kPermutationStream}) {
    const Index n = rows.rows();
    w_.assign(static_cast<std::size_t>((rows.width() + 1) * stride_), 0.0);
    variables_.resize(static_cast<std::size_t>(n));
    const auto k = static_cast<std::size_t>(stride_);
    for (auto* scratch : {&g_, &a_, &d_, &sorted_}) scratch->resize(k);
    changed_.reserve(k);
    kept_.reserve(k);
    for (Index i = 0; i < n; ++i) {
      double square = options.bias * options.bias;
      for (const double value : rows.values_of(i)) square += value * value;
      square_.push_back(square);
      if (square > 0 && cost(i) > 0) moving_.push_back(static_cast<std::int32_t>(i));
    }
  }

  CrammerSingerResult run() {
    CrammerSingerResult result;
    if (classes_ > 1) optimise(result);
    measure(result);
    for (Index m = 0; m < classes_; ++m) {
      std::vector<double>& w = result.weights.w.emplace_back(static_cast<std::size_t>(rows_.width()));
      for (Index f = 0; f < rows_.width(); ++f) w[static_cast<std::size_t>(f)] = weight_at(f, m);
      result.weights.bias.push_back(options_.bias * weight_at(rows_.width(), m));
    }
    return result;
  }

 private:
  double cost(Index i) const { return options_.c * (weight_.empty() ? 1 : weight_[static_cast<std::size_t>(i)]); }
  double& weight_at(Index f, Index m) { return w_[static_cast<std::size_t>(f * stride_ + m)]; }
  double* bias_row() { return w_.data() + rows_.width() * stride_; }

  void optimise(CrammerSingerResult& result) {
    std::vector<std::int32_t> order = moving_;
    std::vector<std::int32_t> restless;
    while (has_time_for(order, result)) {
      random_.shuffle(std::span(order));
      double worst = 0;
      restless.clear();
      for (const std::int32_t i : order) {
        const double violation = visit_all(i);
        worst = std::max(worst, violation);
        // Also those that rest at this moment, if they can move: the others will push them.
        if (variables_[static_cast<std::size_t>(i)].size() > 1) restless.push_back(i);
      }
      if (worst < options_.tolerance) return;
      inner_passes(restless, std::max(kInnerShare * worst, 0.5 * options_.tolerance), result);
    }
  }

  void inner_passes(std::vector<std::int32_t>& restless, double enough, CrammerSingerResult& result) {
    for (int k = 0; k < kInnerPasses && !restless.empty() && has_time_for(restless, result); ++k) {
      random_.shuffle(std::span(restless));
      std::size_t left = 0;
      for (const std::int32_t i : restless) {
        const auto size = static_cast<Index>(variables_[static_cast<std::size_t>(i)].size());
        const double violation = size * kFewClasses <= classes_ ? visit_listed(i) : visit_all(i);
        if (violation >= enough) restless[left++] = i;
      }
      restless.resize(left);
    }
  }

  // As many visits as there are samples are one pass, whichever samples they go to. Counts those that come now.
  bool has_time_for(const std::vector<std::int32_t>& samples, CrammerSingerResult& result) {
    ctx_.check_cancelled();
    const auto pass = std::max<Index>(1, static_cast<Index>(moving_.size()));
    const Index visits = visits_ + static_cast<Index>(samples.size());
    if (visits > options_.iterations * pass) return false;
    visits_ = visits;
    result.iterations = static_cast<int>((visits + pass - 1) / pass);
    return true;
  }

  // All classes of a sample. Gives the violation that was found.
  double visit_all(Index i) {
    const auto columns = rows_.columns_of(i);
    const auto y = static_cast<Index>(label_[static_cast<std::size_t>(i)]);
    scores(i, g_.data());
    for (Index m = 0; m < classes_; ++m) g_[static_cast<std::size_t>(m)] += 1;
    g_[static_cast<std::size_t>(y)] -= 1;
    std::fill(a_.begin(), a_.end(), 0.0);
    std::vector<Variable>& variables = variables_[static_cast<std::size_t>(i)];
    for (const Variable& v : variables) a_[static_cast<std::size_t>(v.m)] = v.value;

    const double violation = solve(classes_, y, square_[static_cast<std::size_t>(i)], cost(i));
    if (!has_moved_) return violation;
    changed_.clear();
    kept_.clear();
    for (Index m = 0; m < classes_; ++m) {
      const auto at = static_cast<std::size_t>(m);
      if (d_[at] != a_[at]) changed_.push_back({static_cast<std::int32_t>(m), d_[at] - a_[at]});
      if (d_[at] != 0) kept_.push_back({static_cast<std::int32_t>(m), d_[at]});
    }
    variables.assign(kept_.begin(), kept_.end());
    update_weights(i, columns);
    return violation;
  }

  // Only classes with a variable that is not zero. Those that become zero leave the list.
  double visit_listed(Index i) {
    std::vector<Variable>& variables = variables_[static_cast<std::size_t>(i)];
    const std::size_t size = variables.size();
    if (size < 2) return 0;
    const auto columns = rows_.columns_of(i);
    const auto values = rows_.values_of(i);
    const std::int32_t label = label_[static_cast<std::size_t>(i)];
    Index y = -1;
    const double* const bias = bias_row();
    for (std::size_t k = 0; k < size; ++k) {
      const std::int32_t m = variables[k].m;
      if (m == label) y = static_cast<Index>(k);
      g_[k] = options_.bias * bias[m] + (m == label ? 0 : 1);
      a_[k] = variables[k].value;
    }
    for (std::size_t e = 0; e < columns.size(); ++e) {
      const double* const from = w_.data() + columns[e] * stride_;
      for (std::size_t k = 0; k < size; ++k) g_[k] += values[e] * from[variables[k].m];
    }
    CLADE_CHECK(y >= 0);
    const double violation = solve(static_cast<Index>(size), y, square_[static_cast<std::size_t>(i)], cost(i));
    if (!has_moved_) return violation;
    changed_.clear();
    std::size_t left = 0;
    for (std::size_t k = 0; k < size; ++k) {
      const std::int32_t m = variables[k].m;
      if (d_[k] != a_[k]) changed_.push_back({m, d_[k] - a_[k]});
      if (d_[k] != 0) variables[left++] = {m, d_[k]};
    }
    variables.resize(left);
    update_weights(i, columns);
    return violation;
  }

  void scores(Index i, double* out) const {
    const auto columns = rows_.columns_of(i);
    const double* const bias = w_.data() + rows_.width() * stride_;
    for (Index m = 0; m < stride_; ++m) out[m] = options_.bias * bias[m];
    add_row_sum(w_.data(), stride_, columns.data(), rows_.values_of(i).data(), static_cast<Index>(columns.size()), out);
  }

  // The variables a_[0 .. size) with gradients g_ become d_, the optimum of the sample's own problem: with curvature
  // q = ||x||^2 and u_m = g_m - q a_m + q c [m = y],
  //
  //   a_m = c [m = y] - max(0, u_m - b) / q,    b such that sum_m max(0, u_m - b) = q c.
  //
  // Gives max g_m - min {g_m : a_m below its bound}, the violation before.
  double solve(Index size, Index y, double q, double c) {
    const auto own = static_cast<std::size_t>(y);
    const auto count = static_cast<std::size_t>(size);
    double most = -kInfinity;
    double least = kInfinity;
    // What is off its bound by rounding cannot move and does not count.
    for (std::size_t m = 0; m < count; ++m) {
      most = std::max(most, g_[m]);
      if (a_[m] < (m == own ? c : 0) - kRounding * c) least = std::min(least, g_[m]);
    }
    const double violation = most - least;
    has_moved_ = violation > kTinyViolation;
    if (!has_moved_) return std::max(0.0, violation);
    for (std::size_t m = 0; m < count; ++m) d_[m] = g_[m] - q * a_[m];
    d_[own] += q * c;
    const double threshold = simplex_threshold(count, q * c);
    double others = 0;
    for (std::size_t m = 0; m < count; ++m) {
      d_[m] = std::min(0.0, (threshold - d_[m]) / q);
      if (m != own) others += d_[m];
    }
    // Not c + d_[own]: so the sum is zero, whatever the rounding.
    d_[own] = std::min(c, -others);
    return violation;
  }

  // b with sum max(0, d_m - b) = total. All start above; the mean of those above rises until none falls below it
  // (C. Michelot, 1986). The same as after sorting, in a few passes over fewer and fewer.
  double simplex_threshold(std::size_t count, double total) {
    double sum = 0;
    for (std::size_t m = 0; m < count; ++m) sum += d_[m];
    double b = (sum - total) / static_cast<double>(count);
    std::copy_n(d_.begin(), count, sorted_.begin());
    for (;;) {
      std::size_t left = 0;
      sum = 0;
      for (std::size_t k = 0; k < count; ++k) {
        const double value = sorted_[k];
        sorted_[left] = value;
        const bool is_above = value > b;
        left += is_above ? 1 : 0;
        sum += is_above ? value : 0;
      }
      if (left == count || left == 0) return b;
      count = left;
      b = (sum - total) / static_cast<double>(count);
    }
  }

  void update_weights(Index i, std::span<const std::int32_t> columns) {
    const auto values = rows_.values_of(i);
    double* const bias = bias_row();
    for (const Variable& v : changed_) bias[v.m] += options_.bias * v.value;
    for (std::size_t e = 0; e < columns.size(); ++e) {
      double* const to = w_.data() + columns[e] * stride_;
      for (const Variable& v : changed_) to[v.m] += values[e] * v.value;
    }
  }

  // Weights anew from the variables, without the rounding of all the steps; then primal and dual by definition.
  void measure(CrammerSingerResult& result) {
    std::fill(w_.begin(), w_.end(), 0.0);
    double linear = 0;
    for (Index i = 0; i < rows_.rows(); ++i) {
      const std::int32_t y = label_[static_cast<std::size_t>(i)];
      changed_ = variables_[static_cast<std::size_t>(i)];
      for (const Variable& v : changed_) linear += v.m != y ? v.value : 0;
      update_weights(i, rows_.columns_of(i));
      // A row of zeros moves nothing: all its cost is lost, in the dual as well.
      if (square_[static_cast<std::size_t>(i)] == 0 && classes_ > 1) linear -= cost(i);
    }
    double square = 0;
    for (const double w : w_) square += w * w;
    double loss = 0;
    for (Index i = 0; i < rows_.rows(); ++i) {
      scores(i, g_.data());
      const auto y = static_cast<Index>(label_[static_cast<std::size_t>(i)]);
      const double own = g_[static_cast<std::size_t>(y)];
      double worst = 0;
      for (Index m = 0; m < classes_; ++m) {
        if (m != y) worst = std::max(worst, 1 + g_[static_cast<std::size_t>(m)] - own);
      }
      loss += cost(i) * worst;
    }
    result.objective = square / 2 + loss;
    result.gap = square + loss + linear;
  }

  const TrainingRows& rows_;
  std::span<const std::int32_t> label_;
  std::span<const double> weight_;
  Index classes_;
  Index stride_;
  CrammerSingerOptions options_;
  Context& ctx_;
  RandomStream random_;
  std::vector<double> w_;                         // columns and the bias x classes, filled up
  std::vector<std::vector<Variable>> variables_;  // per sample
  std::vector<double> square_;                    // ||x_i||^2, the bias counted
  std::vector<std::int32_t> moving_;              // samples that can change anything
  Index visits_ = 0;
  bool has_moved_ = false;

  // Of the sample that is visited.
  std::vector<double> g_;
  std::vector<double> a_;
  std::vector<double> d_;
  std::vector<double> sorted_;
  std::vector<Variable> changed_;
  std::vector<Variable> kept_;
};

}  // namespace

CrammerSingerResult crammer_singer(const TrainingRows& rows, std::span<const std::int32_t> label, Index classes,
                                   std::span<const double> weight, const CrammerSingerOptions& options, Context& ctx) {
  CLADE_CHECK(static_cast<Index>(label.size()) == rows.rows());
  CLADE_CHECK(weight.empty() || weight.size() == label.size());
  for (const std::int32_t y : label) CLADE_CHECK(y >= 0 && y < classes);
  return Solver(rows, label, classes, weight, options, ctx).run();
}

}  // namespace clade
