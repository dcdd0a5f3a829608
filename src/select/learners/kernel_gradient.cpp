#include "select/learners/kernel_gradient.h"

#include <algorithm>
#include <cmath>

namespace clade {

Matrix kernel_slopes(const Matrix& squares, std::span<const Index> points, RidgeKernel kernel, double gamma) {
  Matrix slopes(std::ssize(points), squares.rows());
  for (Index p = 0; p < slopes.rows(); ++p) {
    const Index i = points[static_cast<std::size_t>(p)];
    for (Index j = 0; j < slopes.cols(); ++j) {
      const double square = squares(std::max(i, j), std::min(i, j));
      const double distance = std::sqrt(square);
      if (square == 0) {
        slopes(p, j) = 0;
      } else if (kernel == RidgeKernel::kRbf) {
        slopes(p, j) = -2 * gamma * std::exp(-gamma * square);
      } else {
        slopes(p, j) = -gamma * std::exp(-gamma * distance) / distance;
      }
    }
  }
  return slopes;
}

Vector squared_gradients(const Matrix& slopes, std::span<const Index> points, const Vector& coefficient,
                         const KernelSamples& samples, const Matrix& dense) {
  const Matrix weight = slopes * coefficient.asDiagonal();
  const Vector total = weight.rowwise().sum();
  Vector result = Vector::Zero(samples.width());
  const Matrix drawn = dense.rows() > 0 ? Matrix(weight * dense) : Matrix();
  Vector gradient(samples.width());
  for (Index p = 0; p < slopes.rows(); ++p) {
    const Index i = points[static_cast<std::size_t>(p)];
    if (dense.rows() > 0) {
      gradient = total(p) * dense.row(i).transpose() - drawn.row(p).transpose();
    } else {
      gradient.setZero();
      const auto add = [&](Index j, double factor) {
        const auto columns = samples.columns_of(j);
        const auto values = samples.values_of(j);
        for (std::size_t k = 0; k < columns.size(); ++k) gradient(columns[k]) += factor * values[k];
      };
      add(i, total(p));
      for (Index j = 0; j < samples.size(); ++j) add(j, -weight(p, j));
    }
    result += gradient.cwiseAbs2();
  }
  return result;
}

}  // namespace clade
