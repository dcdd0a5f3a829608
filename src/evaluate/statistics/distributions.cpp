#include "evaluate/statistics/distributions.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <cstdint>

namespace clade {
namespace {

using boost::math::cdf;
using boost::math::complement;
using boost::math::quantile;

// Beyond this point the density of the normal distribution is below the smallest double.
constexpr double kNormalEnd = 39;

double phi(double z) {
  return pdf(boost::math::normal(), z);
}

double cumulative(double z) {
  return cdf(boost::math::normal(), z);
}

}  // namespace

double chi_squared_above(double x, double degrees_of_freedom) {
  return cdf(complement(boost::math::chi_squared(degrees_of_freedom), x));
}

double f_above(double x, double df1, double df2) {
  if (std::isinf(x)) return 0;
  return cdf(complement(boost::math::fisher_f(df1, df2), x));
}

double f_critical(double alpha, double df1, double df2) {
  return quantile(complement(boost::math::fisher_f(df1, df2), alpha));
}

double normal_above(double z) {
  return cdf(complement(boost::math::normal(), z));
}

double normal_critical(double alpha) {
  return quantile(complement(boost::math::normal(), alpha));
}

double normal_range_above(double q, double count) {
  if (q <= 0) return 1;
  if (q >= 2 * kNormalEnd) return 0;
  // 1 - P(range <= q) as one integral, using 1 = k int phi Phi^(k - 1), so that a small result is not the difference of
  // large numbers. With x = Phi(z - q) / Phi(z):
  //
  //   Phi^(k - 1) - (Phi - Phi(z - q))^(k - 1) = Phi^(k - 1) (1 - (1 - x)^(k - 1))
  const auto density = [q, others = count - 1](double z) {
    const double below = cumulative(z);
    if (below == 0) return 0.0;
    const double ratio = cumulative(z - q) / below;
    return -phi(z) * std::pow(below, others) * std::expm1(others * std::log1p(-ratio));
  };
  // The integrand is smooth and varies over lengths of about 1: twenty points per unit length give full precision.
  using Quadrature = boost::math::quadrature::gauss<double, 20>;
  const double end = std::min(kNormalEnd, q + 10);
  double sum = 0;
  for (double z = -10; z < end; z += 1) sum += Quadrature::integrate(density, z, z + 1);
  return std::clamp(count * sum, 0.0, 1.0);
}

double normal_range_critical(double alpha, double count) {
  double high = 1;
  while (normal_range_above(high, count) > alpha) high *= 2;
  constexpr int kBits = 50;
  std::uintmax_t iterations = 200;
  const auto excess = [alpha, count](double q) { return normal_range_above(q, count) - alpha; };
  const auto [low, up] = boost::math::tools::toms748_solve(
      excess, 0.0, high, boost::math::tools::eps_tolerance<double>(kBits), iterations);
  return (low + up) / 2;
}

}  // namespace clade
