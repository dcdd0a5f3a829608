#include "classify/linear/row_loss.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "core/check.h"

namespace clade {

SoftmaxLoss::SoftmaxLoss(const RowClasses& labels, Index classes, std::span<const double> weight, double c)
    : labels_(labels), weight_(weight), classes_(static_cast<double>(classes)), c_(c) {
  CLADE_CHECK(weight.empty() || weight.size() + 1 == labels.offsets.size());
  for (const std::int32_t y : labels.classes) CLADE_CHECK(y >= 0 && y < classes);
}

double SoftmaxLoss::derivatives(Index row, std::span<double> scores) const {
  const double factor = cost(row);
  const auto labels = labels_.of(row);
  Eigen::Map<Eigen::ArrayXd> s(scores.data(), std::ssize(scores));
  double own = 0;
  for (const std::int32_t y : labels) own += s(y);
  own /= static_cast<double>(labels.size());
  const double most = s.maxCoeff();
  s = (s - most).exp();
  const double sum = s.sum();
  s *= factor / sum;
  if (labels.size() == 1) {
    // 1 - p would lose its digits for a class that takes nearly all the probability.
    const Index y = labels[0];
    const double others = s.head(y).sum() + s.tail(s.size() - y - 1).sum();
    s(y) = -others;
  } else {
    for (const std::int32_t y : labels) s(y) -= factor / static_cast<double>(labels.size());
  }
  return factor * (std::log(sum) + (most - own));
}

double SoftmaxLoss::curvature(Index row) const {
  const double share = 1 / classes_;
  return share * (1 - share) * cost(row);
}

double SquaredHingeLoss::derivatives(Index row, std::span<double> scores) const {
  const double factor = cost(row);
  const auto own = labels_.of(row);
  auto next = own.begin();
  double loss = 0;
  for (std::size_t m = 0; m < scores.size(); ++m) {
    const bool is_own = next != own.end() && static_cast<std::size_t>(*next) == m;
    if (is_own) ++next;
    const double sign = is_own ? 1 : -1;
    const double lack = std::max(0.0, 1 - sign * scores[m]);
    loss += lack * lack;
    scores[m] = -2 * factor * sign * lack;
  }
  return factor * loss;
}

}  // namespace clade
