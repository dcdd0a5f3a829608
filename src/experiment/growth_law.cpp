#include "experiment/growth_law.h"

#include <algorithm>
#include <cmath>

namespace clade {

double PowerLaw::at(double size) const {
  return factor == 0 ? 0 : factor * std::pow(size, exponent);
}

PowerLaw fit_power_law(const std::vector<SizedValue>& points) {
  constexpr double kMoreWeight = 2;
  constexpr double kLargestExponent = 3;
  double weight = 1;
  double weights = 0;
  double mean_x = 0;
  double mean_y = 0;
  double xx = 0;
  double xy = 0;
  // Running means: the sums of squares stay those around the mean.
  for (const SizedValue& point : points) {
    if (!(point.size > 0) || !(point.value > 0)) continue;
    const double x = std::log(point.size);
    const double y = std::log(point.value);
    weights += weight;
    const double step = x - mean_x;
    mean_x += weight / weights * step;
    mean_y += weight / weights * (y - mean_y);
    xx += weight * step * (x - mean_x);
    xy += weight * step * (y - mean_y);
    weight *= kMoreWeight;
  }
  if (weights == 0) return {};
  PowerLaw law;
  law.exponent = xx > 0 ? std::clamp(xy / xx, 0.0, kLargestExponent) : 1;
  law.factor = std::exp(mean_y - law.exponent * mean_x);
  return law;
}

double extrapolated_memory(const std::vector<SizedValue>& points, double size) {
  if (points.empty()) return 0;
  double found = std::max(points.back().value, fit_power_law(points).at(size));
  if (points.size() < 2) return found;
  const SizedValue& last = points.back();
  // Not the one before: what a run leaves in the allocator is some megabytes more or less, which would be multiplied.
  constexpr double kApart = 4;
  const auto is_apart = [&](const SizedValue& point) { return kApart * point.size <= last.size * 1.05; };
  const auto apart = std::find_if(points.rbegin() + 1, points.rend(), is_apart);
  const SizedValue& before = apart == points.rend() ? points.front() : *apart;
  const double slope = (last.value - before.value) / (last.size - before.size);
  return std::max(found, last.value + slope * (size - last.size));
}

}  // namespace clade
