#include "classify/linear/softmax_newton.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "classify/linear/column_lists.h"
#include "classify/linear/row_sums.h"
#include "core/check.h"
#include "core/parallel.h"

namespace clade {
namespace {

constexpr Index kRowsPerTask = 256;

// Products of the rows, and of their columns, with rows of `stride` numbers.
template <class T>
class Products {
 public:
  Products(const TrainingRows& rows, Index stride, Context& ctx)
      : rows_(rows),
        stride_(stride),
        ctx_(ctx),
        lists_(column_lists<T>(rows, 0, rows.rows(), ctx)),
        values_(rows.values.begin(), rows.values.end()) {}

  // out[c] = sum over the rows of x_c coefficients[row]; returns the largest size of a sum.
  double by_columns(const T* coefficients, T* out) const {
    const Index tasks = std::ssize(lists_.tasks) - 1;
    std::vector<double> largest(static_cast<std::size_t>(tasks), 0);
    parallel_for(ctx_, tasks, 1, [&](Index task, Index) {
      const Index begin = lists_.tasks[static_cast<std::size_t>(task)];
      const Index end = lists_.tasks[static_cast<std::size_t>(task) + 1];
      std::fill(out + begin * stride_, out + end * stride_, T(0));
      for (Index c = begin; c < end; ++c) {
        const Index first = lists_.offsets[static_cast<std::size_t>(c)];
        add_row_sum(coefficients, stride_, lists_.place.data() + first, lists_.values.data() + first,
                    lists_.offsets[static_cast<std::size_t>(c) + 1] - first, out + c * stride_);
      }
      const Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>> sums(out + begin * stride_, (end - begin) * stride_);
      largest[static_cast<std::size_t>(task)] = static_cast<double>(sums.abs().maxCoeff());
    });
    return largest.empty() ? 0 : *std::ranges::max_element(largest);
  }

  // out[r] = x_r . w for the rows from begin to end.
  void by_rows(Index begin, Index end, const T* w, T* out) const {
    std::fill(out + begin * stride_, out + end * stride_, T(0));
    for (Index r = begin; r < end; ++r) {
      const auto columns = rows_.columns_of(r);
      add_row_sum(w, stride_, columns.data(), values_.data() + rows_.offsets[static_cast<std::size_t>(r)],
                  std::ssize(columns), out + r * stride_);
    }
  }

 private:
  const TrainingRows& rows_;
  Index stride_;
  Context& ctx_;
  ColumnLists<T> lists_;
  std::vector<T> values_;  // by rows
};

// T: the type of products and of what is solved for within a step; what adds up over the steps is double.
template <class T>
class Newton {
 public:
  Newton(const TrainingRows& rows, std::span<const std::int32_t> label, Index classes, std::span<const double> weight,
         const SoftmaxNewtonOptions& options, Context& ctx)
      : label_(label),
        weight_(weight),
        classes_(classes),
        stride_(padded_classes(classes)),
        count_(rows.rows()),
        options_(options),
        ctx_(ctx),
        products_(rows, stride_, ctx),
        scores_(zeros<double>()),
        probability_(zeros<T>()),
        residual_(zeros<T>()),
        direction_(zeros<T>()),
        product_(zeros<T>()),
        step_(zeros<T>()),
        step_scores_(zeros<T>()),
        other_(zeros<T>()),
        sums_(rows.width() * stride_) {
    point_.stride = stride_;
    point_.coefficients = zeros<double>();
    // A constant feature of this value has about the curvature of a weight.
    double curvature = 0;
    for (Index r = 0; r < count_; ++r) curvature += cost(r) * static_cast<double>(classes - 1);
    curvature /= static_cast<double>(classes * classes);
    constant_ = !options.has_bias ? 0 : curvature > 0 ? 1 / std::sqrt(curvature) : 1;
    bias_ = Row::Zero(stride_);
  }

  SoftmaxPoint run() {
    find_probabilities(0);
    const double first = find_gradient();
    point_.first_gradient = first;
    double gradient = first;
    // Something is left for the rounding of the check.
    constexpr double kMargin = 0.9;
    while (gradient > kMargin * options_.tolerance * first && point_.iterations < options_.iterations) {
      if (!solve_step(gradient) || !move()) break;
      gradient = find_gradient();
    }
    for (Index m = 0; m < classes_; ++m) point_.bias.push_back(constant_ * bias_(m));
    return std::move(point_);
  }

 private:
  using Row = Eigen::ArrayXd;
  using Lanes = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;
  using ConstLanes = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;

  template <class U>
  Buffer<U> zeros() const {
    Buffer<U> buffer(count_ * stride_);
    std::ranges::fill(buffer, U(0));
    return buffer;
  }
  double cost(Index row) const { return options_.c * (weight_.empty() ? 1 : weight_[static_cast<std::size_t>(row)]); }
  Index label(Index row) const { return label_[static_cast<std::size_t>(row)]; }
  Lanes lanes(Buffer<T>& of, Index begin, Index end) const {
    return Lanes(of.data() + begin * stride_, (end - begin) * stride_);
  }

  // Sums of numbers that work(begin, end, sums) adds up for chunks of rows, in a fixed order.
  template <class Work>
  Row sum_over_rows(Index numbers, const Work& work) {
    return parallel_reduce(
        ctx_, count_, kRowsPerTask, Row(Row::Zero(numbers)),
        [&](Index begin, Index end) {
          Row sums = Row::Zero(numbers);
          work(begin, end, sums);
          return sums;
        },
        [](Row& total, const Row& part) { total += part; });
  }

  // The probabilities at `length` steps ahead; returns the slope and the curvature of the loss along the step.
  std::pair<double, double> find_probabilities(double length) {
    const Row sums = sum_over_rows(2, [&](Index begin, Index end, Row& sum) {
      for (Index r = begin; r < end; ++r) {
        const Lanes ahead(step_scores_.data() + r * stride_, classes_);
        Lanes p(probability_.data() + r * stride_, classes_);
        const Eigen::Map<const Row> now(scores_.data() + r * stride_, classes_);
        Row& at = scratch_of_thread();
        at.head(classes_) = now + length * ahead.template cast<double>();
        p = (at.head(classes_) - at.head(classes_).maxCoeff()).template cast<T>().exp();
        p /= p.sum();
        const auto mean = static_cast<double>((p * ahead).sum());
        const auto square = static_cast<double>((p * ahead.square()).sum());
        sum(0) += cost(r) * (mean - static_cast<double>(ahead(label(r))));
        sum(1) += cost(r) * std::max(0.0, square - mean * mean);
      }
    });
    return {sums(0), sums(1)};
  }

  Row& scratch_of_thread() const {
    thread_local Row scratch;
    if (scratch.size() < stride_) scratch.resize(stride_);
    return scratch;
  }

  // The gradient, with the sign of descent, becomes the residual of the system. Returns its largest entry.
  double find_gradient() {
    const Row bias = sum_over_rows(stride_, [&](Index begin, Index end, Row& sum) {
      for (Index r = begin; r < end; ++r) {
        const Index y = label(r);
        const ConstLanes p(probability_.data() + r * stride_, classes_);
        Row& loss = scratch_of_thread();
        loss.head(classes_) = cost(r) * p.template cast<double>();
        loss(y) = 0;
        loss(y) = -loss.head(classes_).sum();  // 1 - p would lose its digits
        const Eigen::Map<const Row> coefficient(point_.coefficients.data() + r * stride_, classes_);
        Lanes(residual_.data() + r * stride_, classes_) = (-(coefficient + loss.head(classes_))).template cast<T>();
        sum.head(classes_) += loss.head(classes_);
      }
    });
    bias_residual_ = -constant_ * bias;
    const double largest = products_.by_columns(residual_.data(), sums_.data());
    return std::max(largest, options_.has_bias ? bias.abs().maxCoeff() : 0.0);
  }

  // Solves for the Newton step roughly; find_gradient() has left the products with the columns of the first residual.
  bool solve_step(double gradient) {
    // Rough at first, when the curvature changes with every step, and ever finer near the minimum.
    const double rough = std::min(0.5, std::sqrt(gradient / point_.first_gradient));
    std::ranges::fill(direction_, T(0));
    std::ranges::fill(product_, T(0));
    std::ranges::fill(step_, T(0));
    std::ranges::fill(step_scores_, T(0));
    bias_direction_ = Row::Zero(stride_);
    bias_step_ = Row::Zero(stride_);
    double first = 0;
    double before = 0;
    for (bool is_first = true; point_.iterations < options_.iterations; is_first = false) {
      ctx_.check_cancelled();
      if (!is_first) products_.by_columns(residual_.data(), sums_.data());
      const double square = square_of_residual();
      if (!std::isfinite(square)) return false;
      if (is_first) first = square;
      if (!is_first && square <= rough * rough * first) break;
      const double curvature = turn(is_first ? 0 : square / before);
      if (!(curvature > 0)) return !is_first;
      advance(square / curvature);
      before = square;
      ++point_.iterations;
    }
    return true;
  }

  // Its products with the rows go to other_.
  double square_of_residual() {
    const Row sum = sum_over_rows(1, [&](Index begin, Index end, Row& total) {
      products_.by_rows(begin, end, sums_.data(), other_.data());
      total(0) = static_cast<double>((lanes(residual_, begin, end) * lanes(other_, begin, end)).sum());
    });
    return sum(0) + bias_residual_.square().sum();
  }

  // The next direction; its products with the curvature of the loss go to other_, and the whole curvature along it is
  // returned.
  double turn(double keep) {
    const auto kept = static_cast<T>(keep);
    bias_direction_ = bias_residual_ + keep * bias_direction_;
    const Eigen::Array<T, Eigen::Dynamic, 1> bias_change = (constant_ * bias_residual_).template cast<T>();
    const Eigen::Array<T, Eigen::Dynamic, 1> bias_now = (constant_ * bias_direction_).template cast<T>();
    const Row sums = sum_over_rows(stride_ + 1, [&](Index begin, Index end, Row& sum) {
      lanes(direction_, begin, end) = lanes(residual_, begin, end) + kept * lanes(direction_, begin, end);
      for (Index r = begin; r < end; ++r) {
        Lanes product(product_.data() + r * stride_, classes_);
        Lanes other(other_.data() + r * stride_, classes_);
        const Lanes direction(direction_.data() + r * stride_, classes_);
        const Lanes p(probability_.data() + r * stride_, classes_);
        product = other + bias_change.head(classes_) + kept * product;
        const auto mean = (p * product).sum();
        other = static_cast<T>(cost(r)) * p * (product - mean);
        sum(stride_) += static_cast<double>((direction * (product - bias_now.head(classes_)) + product * other).sum());
        sum.head(classes_) += other.template cast<double>();
      }
    });
    bias_other_ = constant_ * sums.head(stride_);
    return sums(stride_);
  }

  void advance(double length) {
    const auto by = static_cast<T>(length);
    parallel_for(ctx_, count_, kRowsPerTask, [&](Index begin, Index end) {
      lanes(step_, begin, end) += by * lanes(direction_, begin, end);
      lanes(step_scores_, begin, end) += by * lanes(product_, begin, end);
      lanes(residual_, begin, end) -= by * (lanes(direction_, begin, end) + lanes(other_, begin, end));
    });
    bias_step_ += length * bias_direction_;
    bias_residual_ -= length * bias_other_;
  }

  // Goes to about the minimum along the step, by Newton steps within the interval that is known to have it.
  bool move() {
    const Eigen::Array<T, Eigen::Dynamic, 1> bias_now = (constant_ * bias_step_).template cast<T>();
    const Row inner = sum_over_rows(2, [&](Index begin, Index end, Row& sum) {
      for (Index r = begin; r < end; ++r) {
        const ConstLanes step(step_.data() + r * stride_, classes_);
        const ConstLanes ahead(step_scores_.data() + r * stride_, classes_);
        const Eigen::Map<const Row> now(scores_.data() + r * stride_, classes_);
        sum(0) += (step.template cast<double>() * (now - constant_ * bias_.head(classes_))).sum();
        sum(1) += static_cast<double>((step * (ahead - bias_now.head(classes_))).sum());
      }
    });
    const double start = inner(0) + find_probabilities(0).first;
    if (!(start < 0)) return false;
    constexpr double kFlat = 0.2;
    constexpr int kTrials = 12;
    double length = 1;
    double low = 0;
    double high = HUGE_VAL;
    for (int k = 0; k < kTrials; ++k) {
      const auto [loss_slope, loss_curvature] = find_probabilities(length);
      const double slope = inner(0) + length * inner(1) + loss_slope;
      if (!std::isfinite(slope)) return false;
      if (std::abs(slope) <= -kFlat * start || k + 1 == kTrials) break;
      (slope > 0 ? high : low) = length;
      const double next = length - slope / (inner(1) + loss_curvature);
      length = next > low && next < high ? next : std::isinf(high) ? 2 * length : (low + high) / 2;
    }
    parallel_for(ctx_, count_, kRowsPerTask, [&](Index begin, Index end) {
      for (Index k = begin * stride_; k < end * stride_; ++k) {
        point_.coefficients[k] += length * static_cast<double>(step_[k]);
        scores_[k] += length * static_cast<double>(step_scores_[k]);
      }
    });
    bias_ += length * bias_step_;
    return true;
  }

  std::span<const std::int32_t> label_;
  std::span<const double> weight_;
  Index classes_;
  Index stride_;
  Index count_;
  SoftmaxNewtonOptions options_;
  Context& ctx_;
  Products<T> products_;
  SoftmaxPoint point_;
  double constant_ = 0;  // value of the feature whose weights are the bias
  // Rows x stride. Coefficients of sums of the rows, and next to them the products of the sums with the rows.
  Buffer<double> scores_;  // all begin at a multiple of 64 bytes: sums of lanes depend on it
  Buffer<T> probability_;
  Buffer<T> residual_;
  Buffer<T> direction_;
  Buffer<T> product_;  // of the direction with the rows
  Buffer<T> step_;
  Buffer<T> step_scores_;
  Buffer<T> other_;
  Buffer<T> sums_;  // columns x stride
  Row bias_;        // these are for the constant feature
  Row bias_residual_;
  Row bias_direction_;
  Row bias_step_;
  Row bias_other_;
};

}  // namespace

SoftmaxPoint softmax_newton(const TrainingRows& rows, std::span<const std::int32_t> label, Index classes,
                            std::span<const double> weight, const SoftmaxNewtonOptions& options, Context& ctx) {
  CLADE_CHECK(std::ssize(label) == rows.rows() && (weight.empty() || weight.size() == label.size()));
  double largest = 0;
  for (const double value : rows.values) largest = std::max(largest, std::abs(value));
  double costs = 0;
  for (Index r = 0; r < rows.rows(); ++r) costs += weight.empty() ? 1 : weight[static_cast<std::size_t>(r)];
  costs *= options.c;
  // Products of two sums over rows stay well within the range of floats.
  const bool fits_floats = largest > 1e-6 && largest < 1e6 && costs < 1e9 && costs > 1e-9;
  if (!fits_floats) return Newton<double>(rows, label, classes, weight, options, ctx).run();
  return Newton<float>(rows, label, classes, weight, options, ctx).run();
}

}  // namespace clade
