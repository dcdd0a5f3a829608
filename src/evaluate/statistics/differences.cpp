#include <clade/compare.h>
#include <clade/error.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace clade {
namespace {

// How far the difference of two decimals can be from the difference of their nearest doubles.
double rounding_of(double a, double b) {
  return 2 * std::numeric_limits<double>::epsilon() * std::max(std::abs(a), std::abs(b));
}

}  // namespace

std::vector<double> paired_differences(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) throw usage_error("scores of two methods differ in number", "expected pairs");
  std::vector<double> differences;
  std::vector<double> rounding;
  for (std::size_t d = 0; d < a.size(); ++d) {
    if (std::isnan(a[d]) || std::isnan(b[d])) continue;
    differences.push_back(a[d] - b[d]);
    rounding.push_back(rounding_of(a[d], b[d]));
  }
  std::vector<std::size_t> order(differences.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    const double left = std::abs(differences[i]);
    const double right = std::abs(differences[j]);
    return left != right ? left < right : i < j;
  });
  for (std::size_t first = 0, k = 1; k < order.size(); ++k) {
    const double magnitude = std::abs(differences[order[first]]);
    double& difference = differences[order[k]];
    // 0 means equal scores, which are told apart exactly.
    const bool tied = magnitude != 0 && std::abs(difference) - magnitude <= rounding[order[k]] + rounding[order[first]];
    if (tied) {
      difference = std::copysign(magnitude, difference);
    } else {
      first = k;
    }
  }
  return differences;
}

}  // namespace clade
