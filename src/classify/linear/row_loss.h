#pragma once

#include <clade/types.h>

#include <span>

#include "classify/linear/row_classes.h"

namespace clade {

// The loss of the scores of all classes at the rows of a problem.
class RowLoss {
 public:
  RowLoss() = default;
  virtual ~RowLoss() = default;
  RowLoss(const RowLoss&) = delete;
  RowLoss& operator=(const RowLoss&) = delete;
  // Turns the scores of a row into the derivatives of its loss; returns the loss.
  virtual double derivatives(Index row, std::span<double> scores) const = 0;
  // The second derivative for each class at scores of 0, or the largest if it leaps.
  virtual double curvature(Index row) const = 0;
};

// c_i (log sum_m exp(s_m) - s_y), with the class y of the row, or the mean of s_y over its classes; c_i = c weight_i
// (empty: 1).
class SoftmaxLoss : public RowLoss {
 public:
  SoftmaxLoss(const RowClasses& labels, Index classes, std::span<const double> weight, double c);
  double derivatives(Index row, std::span<double> scores) const override;
  double curvature(Index row) const override;

 private:
  double cost(Index row) const { return c_ * (weight_.empty() ? 1 : weight_[static_cast<std::size_t>(row)]); }

  RowClasses labels_;
  std::span<const double> weight_;
  double classes_;
  double c_;
};

// c_i sum_m max(0, 1 - y_m s_m)^2, with y_m = 1 for the classes of the row and -1 for all others.
class SquaredHingeLoss : public RowLoss {
 public:
  SquaredHingeLoss(const RowClasses& labels, std::span<const double> weight, double c)
      : labels_(labels), weight_(weight), c_(c) {}
  double derivatives(Index row, std::span<double> scores) const override;
  double curvature(Index row) const override { return 2 * cost(row); }

 private:
  double cost(Index row) const { return c_ * (weight_.empty() ? 1 : weight_[static_cast<std::size_t>(row)]); }

  RowClasses labels_;
  std::span<const double> weight_;
  double c_;
};

}  // namespace clade
