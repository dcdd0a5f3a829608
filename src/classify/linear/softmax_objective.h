#pragma once

#include <clade/context.h>

#include <span>
#include <vector>

#include "classify/linear/column_lists.h"
#include "classify/linear/training_rows.h"
#include "math/dense.h"

namespace clade {

struct SoftmaxOptions {
  double c = 1;
  bool has_bias = true;
  Index residual_bytes = Index{256} << 20;  // memory for the residuals of a block; affects the last digits
};

// The objective of multinomial_logistic.h and its gradient, as functions of one vector: for each column, then for the
// bias, the weights of all classes (padded to stride() with zeros, whose gradient is zero).
//
// For each block of rows, first the residuals are computed, row by row; then every column sums up those of its rows. So
// no two tasks add to the same number, and only the residuals of a block need memory. Mostly full data is multiplied by
// dense algebra. `rows`, `label` and `weight` must outlive this object.
class SoftmaxObjective {
 public:
  SoftmaxObjective(const TrainingRows& rows, std::span<const std::int32_t> label, Index classes,
                   std::span<const double> weight, const SoftmaxOptions& options, Context& ctx);

  Index size() const { return (rows_.width() + (options_.has_bias ? 1 : 0)) * stride_; }
  Index stride() const { return stride_; }
  bool is_dense() const { return is_dense_; }  // multiplied by dense algebra
  double operator()(const Vector& w, Vector& gradient);

  // The weights become the sums of the rows with these coefficients (rows x stride); the bias stays as it is.
  void combine(std::span<const double> coefficients, Vector& w) const;

  // Reciprocal of the diagonal of the Hessian at w = 0.
  Vector inverse_curvature() const;

 private:
  struct Block {
    Index begin = 0;
    Index end = 0;
    ColumnLists<double> lists;  // sparse data
  };

  double cost(Index row) const { return options_.c * (weight_.empty() ? 1 : weight_[static_cast<std::size_t>(row)]); }
  void copy_dense();
  double residuals(const Block& block, const Vector& w);
  void products(Index begin, Index end, const Vector& w, double* scores) const;
  double residual_of(Index row, double* scores) const;
  void add_columns(const Block& block, const double* matrix, Vector& sums) const;

  const TrainingRows& rows_;
  std::span<const std::int32_t> label_;
  std::span<const double> weight_;
  Index classes_;
  Index stride_;
  SoftmaxOptions options_;
  Context& ctx_;
  bool is_dense_ = false;
  Matrix dense_;  // columns x rows
  std::vector<Block> blocks_;
  Buffer<double> residuals_;  // rows of a block x stride
};

}  // namespace clade
