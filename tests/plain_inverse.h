#pragma once

#include <Eigen/Core>
#include <cmath>

namespace clade::testing {

// The inverse by Gauss-Jordan elimination with row exchanges, in plain loops: Eigen's own takes seconds to compile in
// every file that uses it.
inline Eigen::MatrixXd plain_inverse(Eigen::MatrixXd a) {
  const Eigen::Index n = a.rows();
  Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(n, n);
  for (Eigen::Index k = 0; k < n; ++k) {
    Eigen::Index pivot = k;
    for (Eigen::Index i = k + 1; i < n; ++i) {
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    }
    for (Eigen::Index j = 0; j < n; ++j) {
      std::swap(a(k, j), a(pivot, j));
      std::swap(inverse(k, j), inverse(pivot, j));
    }
    const double scale = 1 / a(k, k);
    for (Eigen::Index j = 0; j < n; ++j) {
      a(k, j) *= scale;
      inverse(k, j) *= scale;
    }
    for (Eigen::Index i = 0; i < n; ++i) {
      const double factor = a(i, k);
      if (i == k || factor == 0) continue;
      for (Eigen::Index j = 0; j < n; ++j) {
        a(i, j) -= factor * a(k, j);
        inverse(i, j) -= factor * inverse(k, j);
      }
    }
  }
  return inverse;
}

}  // namespace clade::testing
