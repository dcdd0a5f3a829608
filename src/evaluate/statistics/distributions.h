#pragma once

namespace clade {

// The distributions that the tests need. Only distributions.cpp includes Boost.Math, which is slow to compile. "Above"
// is the probability of a larger value, accurate even if it is small.

double chi_squared_above(double x, double degrees_of_freedom);
double f_above(double x, double df1, double df2);
double f_critical(double alpha, double df1, double df2);  // the value whose f_above is alpha
double normal_above(double z);
double normal_critical(double alpha);

// The range of `count` independent standard normal values (the studentized range with infinite degrees of freedom):
//
//   P(range <= q) = k int phi(z) (Phi(z) - Phi(z - q))^(k - 1) dz
double normal_range_above(double q, double count);
double normal_range_critical(double alpha, double count);

}  // namespace clade
