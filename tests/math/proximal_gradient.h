#pragma once

#include <Eigen/Core>
#include <cmath>

#include "math/decompositions.h"

namespace clade::testing {

// The minimum of <W, H W> - 2 <W, B> + lambda ||W||_{2,1} by proximal gradient steps with momentum and restarts, until
// nothing moves: slow, and nothing in common with the solvers it is compared with.
inline Eigen::MatrixXd proximal_gradient(const Eigen::MatrixXd& h, const Eigen::MatrixXd& b, double lambda) {
  using Eigen::MatrixXd;
  const double largest = symmetric_eigenvalues(h).maxCoeff();
  const double bound = 1.0001 * std::max(largest, 1e-12);
  MatrixXd w = MatrixXd::Zero(b.rows(), b.cols());
  MatrixXd y = w;
  double momentum = 1;
  for (int k = 0; k < 200000; ++k) {
    MatrixXd next = y - (h * y - b) / bound;
    for (Eigen::Index j = 0; j < next.rows(); ++j) {
      const double norm = next.row(j).norm();
      const double cut = lambda / (2 * bound);
      next.row(j) *= norm > cut ? 1 - cut / norm : 0.0;
    }
    const MatrixXd change = next - w;
    const bool overshoots = (y - next).cwiseProduct(change).sum() > 0;
    const double grown = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    y = overshoots ? next : MatrixXd(next + (momentum - 1) / grown * change);
    momentum = overshoots ? 1 : grown;
    w = next;
    if (change.norm() <= 1e-15 * w.norm()) break;
  }
  return w;
}

}  // namespace clade::testing
