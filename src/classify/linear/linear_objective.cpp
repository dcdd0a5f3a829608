#include "classify/linear/linear_objective.h"

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

LinearObjective::LinearObjective(const TrainingRows& rows, const RowLoss& loss, Index classes,
                                 const LinearObjectiveOptions& options, Context& ctx)
    : rows_(rows), loss_(loss), classes_(classes), stride_(padded_classes(classes)), options_(options), ctx_(ctx) {
  const Index n = rows.rows();
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
  residuals_ = options.residuals ? options.residuals : std::make_shared<Buffer<double>>();
  const Index needed = std::min(n, at_once) * stride_;
  if (residuals_->size() < needed) *residuals_ = Buffer<double>(needed);
}

void LinearObjective::copy_dense() {
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

double LinearObjective::operator()(const Vector& w, Vector& gradient) {
  const Index penalised = rows_.width() * stride_;
  gradient.head(penalised) = w.head(penalised);
  gradient.tail(gradient.size() - penalised).setZero();
  return w.head(penalised).squaredNorm() / 2 + add_losses(w, gradient);
}

double LinearObjective::add_losses(const Vector& w, Vector& gradient) {
  double value = 0;
  for (const Block& block : blocks_) {
    value += residuals(block, w);
    add_columns(block, residuals_->data(), gradient);
  }
  return value;
}

void LinearObjective::combine(std::span<const double> coefficients, Vector& w) const {
  CLADE_CHECK(std::ssize(coefficients) == rows_.rows() * stride_);
  const Vector bias = w.tail(w.size() - rows_.width() * stride_);
  w.setZero();
  for (const Block& block : blocks_) add_columns(block, coefficients.data() + block.begin * stride_, w);
  w.tail(bias.size()) = bias;
}

double LinearObjective::residuals(const Block& block, const Vector& w) {
  return parallel_reduce(
      ctx_, block.end - block.begin, kRowsPerTask, 0.0,
      [&](Index begin, Index end) {
        double* const scores = residuals_->data() + begin * stride_;
        products(block.begin + begin, block.begin + end, w, scores);
        double loss = 0;
        for (Index r = begin; r < end; ++r) {
          double* const row = residuals_->data() + r * stride_;
          loss += loss_.derivatives(block.begin + r, {row, static_cast<std::size_t>(classes_)});
          std::fill(row + classes_, row + stride_, 0.0);
        }
        return loss;
      },
      [](double& total, double part) { total += part; });
}

void LinearObjective::products(Index begin, Index end, const Vector& w, double* scores) const {
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

// sums += the products of the columns, and of the constant feature, with a matrix of the block's rows.
void LinearObjective::add_columns(const Block& block, const double* matrix, Vector& sums) const {
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

Vector LinearObjective::inverse_curvature() const {
  Vector columns = Vector::Ones(rows_.width() + 1);
  columns(rows_.width()) = 0;
  add_curvature(columns);
  return clade::inverse_curvature(columns, stride_, options_.has_bias);
}

void LinearObjective::add_curvature(Vector& columns) const {
  for (Index r = 0; r < rows_.rows(); ++r) {
    const double factor = loss_.curvature(r);
    const auto places = rows_.columns_of(r);
    const auto values = rows_.values_of(r);
    for (std::size_t e = 0; e < places.size(); ++e) columns(places[e]) += factor * values[e] * values[e];
    columns(rows_.width()) += factor;
  }
}

Vector inverse_curvature(const Vector& columns, Index stride, bool has_bias) {
  const Index width = columns.size() - 1;
  Vector inverse((width + (has_bias ? 1 : 0)) * stride);
  for (Index k = 0; k < inverse.size(); ++k) {
    const double curvature = columns(k / stride);
    inverse(k) = curvature > 0 ? 1 / curvature : 1;
  }
  return inverse;
}

LinearWeights linear_weights(const Vector& w, Index classes, Index width, bool has_bias) {
  const Index stride = padded_classes(classes);
  LinearWeights weights;
  weights.bias.assign(static_cast<std::size_t>(classes), 0.0);
  for (Index m = 0; m < classes; ++m) {
    std::vector<double>& own = weights.w.emplace_back(static_cast<std::size_t>(width));
    for (Index c = 0; c < width; ++c) own[static_cast<std::size_t>(c)] = w(c * stride + m);
    if (has_bias) weights.bias[static_cast<std::size_t>(m)] = w(width * stride + m);
  }
  return weights;
}

}  // namespace clade
