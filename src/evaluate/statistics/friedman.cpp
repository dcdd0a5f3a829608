#include <clade/compare.h>

#include <cmath>
#include <limits>

#include "evaluate/statistics/distributions.h"
#include "evaluate/statistics/ranks.h"

namespace clade {
namespace {

struct Shape {
  double n;
  double k;
};

Shape shape_of(const Ranks& ranks) {
  return {static_cast<double>(ranks.datasets), static_cast<double>(ranks.methods)};
}

// sum R_j^2 - k (k + 1)^2 / 4 is the sum of squares around the mean rank; so written it is never negative.
double chi_squared(const Ranks& ranks) {
  const auto [n, k] = shape_of(ranks);
  double squares = 0;
  for (const double rank : ranks.average) squares += (rank - (k + 1) / 2) * (rank - (k + 1) / 2);
  return 12 * n / (k * (k + 1)) * squares;
}

// What ties take away from the largest possible variance of ranks: 1 without ties, 0 if everything is tied.
double tie_factor(const Ranks& ranks) {
  const auto [n, k] = shape_of(ranks);
  double ties = 0;
  for (Index d = 0; d < ranks.datasets; ++d) {
    ties += tie_sum(std::span(ranks.ranks)
                        .subspan(static_cast<std::size_t>(d * ranks.methods), static_cast<std::size_t>(ranks.methods)));
  }
  return 1 - ties / (n * k * (k * k - 1));
}

}  // namespace

FriedmanTest friedman_test(const Ranks& ranks) {
  const auto [n, k] = shape_of(ranks);
  FriedmanTest result;
  result.degrees_of_freedom = ranks.methods - 1;
  result.chi2 = chi_squared(ranks);
  result.p = chi_squared_above(result.chi2, k - 1);
  const double factor = tie_factor(ranks);
  result.chi2_tie_corrected = factor > 0 ? result.chi2 / factor : 0;
  result.p_tie_corrected = chi_squared_above(result.chi2_tie_corrected, k - 1);
  result.kendall_w = result.chi2 / (n * (k - 1));
  return result;
}

ImanDavenportTest iman_davenport_test(const Ranks& ranks, double alpha) {
  const auto [n, k] = shape_of(ranks);
  ImanDavenportTest result;
  result.df1 = ranks.methods - 1;
  result.df2 = result.df1 * (ranks.datasets - 1);
  const auto df1 = static_cast<double>(result.df1);
  const auto df2 = static_cast<double>(result.df2);
  const double chi2 = chi_squared(ranks);
  const double rest = n * (k - 1) - chi2;
  // Ranks are halves over N, so a rest that is not 0 is far above the rounding of chi2.
  constexpr double kRounding = 1e-12;
  const bool agree = rest <= kRounding * n * (k - 1);
  result.f = agree ? std::numeric_limits<double>::infinity() : (n - 1) * chi2 / rest;
  result.p = f_above(result.f, df1, df2);
  result.critical_value = f_critical(alpha, df1, df2);
  return result;
}

}  // namespace clade
