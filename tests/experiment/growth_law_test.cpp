#include "experiment/growth_law.h"

#include <gtest/gtest.h>

#include <cmath>

namespace clade {
namespace {

std::vector<SizedValue> points(double factor, double exponent, double constant = 0, int count = 5) {
  std::vector<SizedValue> found;
  for (double size = 200; count-- > 0; size *= 2) {
    found.push_back({size, constant + factor * std::pow(size, exponent)});
  }
  return found;
}

TEST(GrowthLaw, FindsExactPowerLaws) {
  for (const double exponent : {0.0, 0.5, 1.0, 1.7, 3.0}) {
    for (const double factor : {1e-9, 1.0, 1e6}) {
      for (const int count : {2, 3, 9}) {
        const PowerLaw law = fit_power_law(points(factor, exponent, 0, count));
        EXPECT_NEAR(law.exponent, exponent, 1e-9);
        EXPECT_NEAR(law.at(1e7) / (factor * std::pow(1e7, exponent)), 1, 1e-6);
      }
    }
  }
}

// Weighted least squares, solved by its normal equations.
TEST(GrowthLaw, LastPointsWeighMost) {
  const std::vector<SizedValue> seen{{100, 5}, {200, 3}, {400, 9}, {800, 20}};
  double s = 0;
  double sx = 0;
  double sy = 0;
  double sxx = 0;
  double sxy = 0;
  double weight = 1;
  for (const SizedValue& point : seen) {
    const double x = std::log(point.size);
    const double y = std::log(point.value);
    s += weight;
    sx += weight * x;
    sy += weight * y;
    sxx += weight * x * x;
    sxy += weight * x * y;
    weight *= 2;
  }
  const double exponent = (s * sxy - sx * sy) / (s * sxx - sx * sx);
  const PowerLaw law = fit_power_law(seen);
  EXPECT_NEAR(law.exponent, exponent, 1e-9);
  EXPECT_NEAR(std::log(law.factor), (sy - exponent * sx) / s, 1e-9);
}

TEST(GrowthLaw, OddValuesGiveSomethingSensible) {
  EXPECT_EQ(fit_power_law({}).at(1000), 0);
  EXPECT_EQ(fit_power_law({{10, 0}, {20, 0}}).at(1000), 0);
  EXPECT_EQ(fit_power_law({{10, 8}, {20, 4}, {40, 2}}).exponent, 0);  // nothing falls
  EXPECT_NEAR(fit_power_law({{10, 3}}).at(20), 6, 1e-9);
  EXPECT_NEAR(fit_power_law({{10, 3}, {10, 3}}).at(20), 6, 1e-9);
  EXPECT_EQ(fit_power_law({{10, 1}, {20, 1e9}}).exponent, 3);
}

TEST(GrowthLaw, MemoryKnowsAConstantPart) {
  EXPECT_NEAR(extrapolated_memory(points(3, 1, 50'000), 1e6), 50'000 + 3e6, 1);
  EXPECT_NEAR(extrapolated_memory(points(3, 2), 1e6) / 3e12, 1, 1e-6);
  EXPECT_EQ(extrapolated_memory({}, 10), 0);
  // A value in between that is off says little.
  EXPECT_NEAR(extrapolated_memory({{100, 2000}, {200, 2100}, {400, 5000}}, 10'000), 1000 + 10 * 10'000, 1);
  EXPECT_NEAR(extrapolated_memory({{100, 2000}, {200, 3900}, {400, 5000}}, 10'000), 1000 + 10 * 10'000, 1);
  const double falling = extrapolated_memory({{100, 700}, {200, 600}}, 400);
  EXPECT_GE(falling, 600);
  EXPECT_LE(falling, 700);
}

}  // namespace
}  // namespace clade
