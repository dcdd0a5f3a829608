#pragma once

#include <vector>

namespace clade {

// A number that was measured at several sizes.
struct SizedValue {
  double size = 0;
  double value = 0;
};

// value = factor * size^exponent. Nothing is expected to fall with size, or to grow faster than its third power.
struct PowerLaw {
  double factor = 0;
  double exponent = 0;

  double at(double size) const;
};

// Least squares of the logarithms, where every point weighs twice as much as the one before: sizes ascend, and the
// last ones say most about those beyond. Values of 0 or less say nothing; if all are, the law is 0.
PowerLaw fit_power_law(const std::vector<SizedValue>& points);

// What memory will be at a size beyond those measured: by a power law, or on the line through the last point and one of
// a quarter of its size or less, if there is one, whichever gives more. A constant part makes a power law rise too
// slowly.
double extrapolated_memory(const std::vector<SizedValue>& points, double size);

}  // namespace clade
