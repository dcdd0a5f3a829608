#pragma once

namespace clade {

// A part of a whole. Of an empty whole: all of it if nothing was `asked` for either, else nothing.
inline double share(double part, double whole, double asked) {
  if (whole > 0) return part / whole;
  return asked > 0 ? 0 : 1;
}

inline double harmonic_mean(double a, double b) {
  return a + b > 0 ? 2 * a * b / (a + b) : 0;
}

}  // namespace clade
