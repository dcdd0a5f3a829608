#include "classify/linear/softmax_objective.h"

#include <algorithm>
#include <cmath>

#include "classify/linear/row_sums.h"
#include "core/check.h"
#include "core/parallel.h"
#include "math/blas/blas.h"

namespace clade {
namespace {

constexpr Index kFullShare = 4;  // data with at least one non-zero in so many values is multiplied as dense
constexpr Index kRowsPerTask = 256;
constexpr Index kColumnsPerTask = 64;

}  // namespace

SoftmaxObjective::SoftmaxObjective(const TrainingRows& rows, std::span<const std::int32_t> label, Index classes,
                                   std::span<const double> weight, const SoftmaxOptions& options, Context& ctx)
    : rows_(rows),
      label_(label),
      weight_(weight),
      classes_(classes),
      stride_(padded_classes(classes)),
      options_(options),
      ctx_(ctx) {
  const Index n = rows.rows();
  CLADE_CHECK(static_cast<Index>(label.size()) == n);
  CLADE_CHECK(weight.empty() || weight.size() == label.size());
  for (const std::int32_t y : label) CLADE_CHECK(y >= 0 && y < classes);
  const auto nonzeros = static_cast<Index>(rows.columns.size());
  is_dense_ = nonzeros > 0 && nonzeros >= n * rows.width() / kFullShare;
  if (is_dense_) copy_dense();

  const Index at_once = std::max(kRowsPerTask, options.residual_bytes / (stride_ * Index{sizeof(double)}));
  for (Index begin = 0; begin < n; begin += at_once) {
    Block& block = blocks_.emplace_back();
    block.begin = begin;
    block.end = std::min(n, begin + at_once);
    if (!is_dense_) block.lists = column_lists<double>(rows, block.begin, block.end, ctx);
  }
  residuals_ = Buffer<double>(std::min(n, at_once) * stride_);
}

void SoftmaxObjective::copy_dense() {
  dense_.resize(rows_.width(), rows_.rows());
  parallel_for(ctx_, rows_.rows(), kRowsPerTask, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      const auto columns = rows_.columns_of(r);
      const auto values = rows_.values_of(r);
      double* const target = dense_.col(r).data();
      std::fill(target, target + rows_.width(), 0.0);
      for (std::size_t e = 0; e < columns.size(); ++e) target[columns[e]] = values[e];
    }
  });
}

double SoftmaxObjective::operator()(const Vector& w, Vector& gradient) {
  const Index penalised = rows_.width() * stride_;
  double value = w.head(penalised).squaredNorm() / 2;
  gradient.head(penalised) = w.head(penalised);
  gradient.tail(gradient.size() - penalised).setZero();
  for (const Block& block : blocks_) {
    value += residuals(block, w);
    add_columns(block, residuals_.data(), gradient);
  }
  return value;
}

void SoftmaxObjective::combine(std::span<const double> coefficients, Vector& w) const {
  CLADE_CHECK(std::ssize(coefficients) == rows_.rows() * stride_);
  const Vector bias = w.tail(w.size() - rows_.width() * stride_);
  w.setZero();
  for (const Block& block : blocks_) add_columns(block, coefficients.data() + block.begin * stride_, w);
  w.tail(bias.size()) = bias;
}

double SoftmaxObjective::residuals(const Block& block, const Vector& w) {
  return parallel_reduce(
      ctx_, block.end - block.begin, kRowsPerTask, 0.0,
      [&](Index begin, Index end) {
        double* const scores = residuals_.data() + begin * stride_;
        products(block.begin + begin, block.begin + end, w, scores);
        double loss = 0;
        for (Index r = begin; r < end; ++r) {
          loss += residual_of(block.begin + r, residuals_.data() + r * stride_);
        }
        return loss;
      },
      [](double& total, double part) { total += part; });
}

void SoftmaxObjective::products(Index begin, Index end, const Vector& w, double* scores) const {
  const double* const bias = options_.has_bias ? w.data() + rows_.width() * stride_ : nullptr;
  for (Index r = begin; r < end; ++r) {
    double* const row = scores + (r - begin) * stride_;
    if (bias == nullptr) {
      std::fill(row, row + stride_, 0.0);
    } else {
      std::copy(bias, bias + stride_, row);
    }
    if (is_dense_) continue;
    const auto columns = rows_.columns_of(r);
    add_row_sum(w.data(), stride_, columns.data(), rows_.values_of(r).data(), static_cast<Index>(columns.size()), row);
  }
  if (!is_dense_) return;
  const auto stride = static_cast<int>(stride_);
  const auto width = static_cast<int>(rows_.width());
  blas::gemm(false, false, stride, static_cast<int>(end - begin), width, 1, w.data(), stride, dense_.col(begin).data(),
             width, 1, scores, stride);
}

// Turns the scores of a row into the derivatives of its loss; returns the loss.
double SoftmaxObjective::residual_of(Index row, double* scores) const {
  const double factor = cost(row);
  const auto y = static_cast<Index>(label_[static_cast<std::size_t>(row)]);
  Eigen::Map<Eigen::ArrayXd> s(scores, classes_);
  const double own = s(y);
  const double most = s.maxCoeff();
  s = (s - most).exp();
  const double sum = s.sum();
  s *= factor / sum;
  // 1 - p would lose its digits for a class that takes nearly all the probability.
  const double others = s.head(y).sum() + s.tail(classes_ - y - 1).sum();
  s(y) = -others;
  std::fill(scores + classes_, scores + stride_, 0.0);
  return factor * (std::log(sum) + (most - own));
}

// sums += the products of the columns, and of the constant feature, with a matrix of the block's rows.
void SoftmaxObjective::add_columns(const Block& block, const double* matrix, Vector& sums) const {
  const Index width = rows_.width();
  const Index per_task = std::max(kColumnsPerTask, width / 16);  // dense data
  const Index tasks = is_dense_ ? chunk_count(width, per_task) : std::ssize(block.lists.tasks) - 1;
  parallel_for(ctx_, tasks + (options_.has_bias ? 1 : 0), 1, [&](Index task, Index) {
    if (task == tasks) {
      double* const bias = sums.data() + width * stride_;
      for (Index r = 0; r < block.end - block.begin; ++r) {
        const double* const row = matrix + r * stride_;
        for (Index m = 0; m < stride_; ++m) bias[m] += row[m];
      }
      return;
    }
    if (is_dense_) {
      const Index begin = task * per_task;
      const Index end = std::min(width, begin + per_task);
      const auto stride = static_cast<int>(stride_);
      blas::gemm(false, true, stride, static_cast<int>(end - begin), static_cast<int>(block.end - block.begin), 1,
                 matrix, stride, dense_.col(block.begin).data() + begin, static_cast<int>(width), 1,
                 sums.data() + begin * stride_, stride);
      return;
    }
    const ColumnLists<double>& lists = block.lists;
    for (Index c = lists.tasks[static_cast<std::size_t>(task)]; c < lists.tasks[static_cast<std::size_t>(task) + 1];
         ++c) {
      const Index first = lists.offsets[static_cast<std::size_t>(c)];
      const Index count = lists.offsets[static_cast<std::size_t>(c) + 1] - first;
      add_row_sum(matrix, stride_, lists.place.data() + first, lists.values.data() + first, count,
                  sums.data() + c * stride_);
    }
  });
}

Vector SoftmaxObjective::inverse_curvature() const {
  const double share = 1 / static_cast<double>(classes_);
  const double spread = share * (1 - share);
  Vector column = Vector::Ones(rows_.width() + 1);
  column(rows_.width()) = 0;
  for (Index r = 0; r < rows_.rows(); ++r) {
    const double factor = spread * cost(r);
    const auto columns = rows_.columns_of(r);
    const auto values = rows_.values_of(r);
    for (std::size_t e = 0; e < columns.size(); ++e) column(columns[e]) += factor * values[e] * values[e];
    column(rows_.width()) += factor;
  }
  if (!(column(rows_.width()) > 0)) column(rows_.width()) = 1;
  Vector inverse(size());
  for (Index k = 0; k < size(); ++k) inverse(k) = 1 / column(k / stride_);
  return inverse;
}

}  // namespace clade
