#pragma once

#include <clade/context.h>

#include <memory>
#include <span>
#include <vector>

#include "classify/linear/column_lists.h"
#include "classify/linear/row_loss.h"
#include "classify/linear/training_rows.h"
#include "math/dense.h"

namespace clade {

struct LinearObjectiveOptions {
  bool has_bias = true;                     // not penalised
  Index residual_bytes = Index{256} << 20;  // memory for the residuals of a block; affects the last digits
  // That memory, for objectives that are never evaluated at the same time; null: its own.
  std::shared_ptr<Buffer<double>> residuals = nullptr;
};

// Half the squared length of the weights of linear functions, one per class, plus the losses of their scores at some
// rows (row_loss.h), and its gradient: functions of one vector, which has for each column, then for the bias, the
// weights of all classes (padded to stride() with zeros, whose gradient is zero).
//
// For each block of rows, first the residuals are computed, row by row; then every column sums up those of its rows. So
// no two tasks add to the same number, and only the residuals of a block need memory. Mostly full data is multiplied by
// dense algebra. `rows` and `loss` must outlive this object.
class LinearObjective {
 public:
  LinearObjective(const TrainingRows& rows, const RowLoss& loss, Index classes, const LinearObjectiveOptions& options,
                  Context& ctx);

  Index size() const { return (rows_.width() + (options_.has_bias ? 1 : 0)) * stride_; }
  Index stride() const { return stride_; }
  bool is_dense() const { return is_dense_; }  // multiplied by dense algebra
  double operator()(const Vector& w, Vector& gradient);
  // The losses alone; their gradient is added.
  double add_losses(const Vector& w, Vector& gradient);

  // The weights become the sums of the rows with these coefficients (rows x stride); the bias stays as it is.
  void combine(std::span<const double> coefficients, Vector& w) const;

  // Reciprocal of the diagonal of the Hessian at w = 0, or of a bound on it.
  Vector inverse_curvature() const;
  // For each column, then for the bias: what the rows add to it.
  void add_curvature(Vector& columns) const;

 private:
  struct Block {
    Index begin = 0;
    Index end = 0;
    ColumnLists<double> lists;  // sparse data
  };

  void copy_dense();
  double residuals(const Block& block, const Vector& w);
  void products(Index begin, Index end, const Vector& w, double* scores) const;
  void add_columns(const Block& block, const double* matrix, Vector& sums) const;

  const TrainingRows& rows_;
  const RowLoss& loss_;
  Index classes_;
  Index stride_;
  LinearObjectiveOptions options_;
  Context& ctx_;
  bool is_dense_ = false;
  Matrix dense_;  // columns x rows
  std::vector<Block> blocks_;
  std::shared_ptr<Buffer<double>> residuals_;  // rows of a block x stride
};

// The same from the curvature of all: 1 for each column, 0 for the bias, and what several objectives have added.
Vector inverse_curvature(const Vector& columns, Index stride, bool has_bias);

// The weights in that vector, by class.
LinearWeights linear_weights(const Vector& w, Index classes, Index width, bool has_bias);

}  // namespace clade
