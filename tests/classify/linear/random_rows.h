#pragma once

#include <Eigen/Core>

#include "classify/linear/training_rows.h"
#include "core/random.h"

namespace clade::testing {

// Compressed rows of a matrix; zeros are left out.
inline TrainingRows rows_of(const Eigen::MatrixXd& x) {
  TrainingRows rows;
  for (Index f = 0; f < x.cols(); ++f) rows.features.push_back(static_cast<FeatureIndex>(f));
  for (Index r = 0; r < x.rows(); ++r) {
    for (Index f = 0; f < x.cols(); ++f) {
      if (x(r, f) == 0) continue;
      rows.columns.push_back(static_cast<std::int32_t>(f));
      rows.values.push_back(x(r, f));
    }
    rows.offsets.push_back(static_cast<Index>(rows.columns.size()));
  }
  return rows;
}

// Normal values, of which about `share` are not zero.
inline Eigen::MatrixXd random_matrix(Index rows, Index columns, double share, RandomStream& random) {
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return random.uniform() < share ? random.normal() : 0.0; });
}

// Classes 0 .. classes - 1, each at least once where there are enough rows, with centres that lie apart by `distance`.
inline std::vector<std::int32_t> random_classes(Eigen::MatrixXd& x, Index classes, double distance,
                                                RandomStream& random) {
  std::vector<std::int32_t> label;
  for (Index r = 0; r < x.rows(); ++r) {
    const Index m = r < classes ? r : random.below(classes);
    label.push_back(static_cast<std::int32_t>(m));
    x(r, m % x.cols()) += distance;
  }
  return label;
}

}  // namespace clade::testing
