#include <clade/compare.h>
#include <clade/error.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "evaluate/statistics/distributions.h"

namespace clade {
namespace {

void check(Index methods, Index datasets) {
  if (methods < 2) throw usage_error(fmt::format("methods to compare: {}", methods), "expected at least 2");
  if (datasets < 1) throw usage_error(fmt::format("data sets to compare on: {}", datasets), "expected at least 1");
}

void check_alpha(double alpha) {
  if (!(alpha > 0 && alpha < 1)) {
    throw usage_error(fmt::format("alpha is {}", alpha), "expected a number above 0 and below 1");
  }
}

// Of the difference of two average ranks, if all methods are alike.
double standard_error(Index methods, Index datasets) {
  const auto k = static_cast<double>(methods);
  return std::sqrt(k * (k + 1) / (6 * static_cast<double>(datasets)));
}

}  // namespace

CriticalDistance nemenyi_distance(Index methods, Index datasets, double alpha) {
  check(methods, datasets);
  check_alpha(alpha);
  const double q = normal_range_critical(alpha, static_cast<double>(methods)) / std::numbers::sqrt2;
  return {.q = q, .distance = q * standard_error(methods, datasets)};
}

CriticalDistance bonferroni_dunn_distance(Index methods, Index datasets, double alpha) {
  check(methods, datasets);
  check_alpha(alpha);
  const double q = normal_critical(alpha / (2 * static_cast<double>(methods - 1)));
  return {.q = q, .distance = q * standard_error(methods, datasets)};
}

double nemenyi_p(double rank_difference, Index methods, Index datasets) {
  check(methods, datasets);
  const double q = std::abs(rank_difference) / standard_error(methods, datasets) * std::numbers::sqrt2;
  return normal_range_above(q, static_cast<double>(methods));
}

double bonferroni_dunn_p(double rank_difference, Index methods, Index datasets) {
  check(methods, datasets);
  const double z = std::abs(rank_difference) / standard_error(methods, datasets);
  return std::min(1.0, 2 * static_cast<double>(methods - 1) * normal_above(z));
}

}  // namespace clade
