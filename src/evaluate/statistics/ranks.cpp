#include "evaluate/statistics/ranks.h"

#include <clade/compare.h>
#include <clade/error.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "evaluate/statistics/distributions.h"

namespace clade {
namespace {

void check_shape(std::span<const double> scores, Index methods) {
  if (methods < 2) throw usage_error(fmt::format("methods to compare: {}", methods), "expected at least 2");
  const auto count = static_cast<Index>(scores.size());
  if (count % methods != 0) {
    throw usage_error(fmt::format("{} scores of {} methods", count, methods), "expected as many of each method");
  }
  if (count / methods < 2) {
    throw usage_error(fmt::format("data sets to compare on: {}", count / methods), "expected at least 2");
  }
  if (std::any_of(scores.begin(), scores.end(), [](double score) { return std::isinf(score); })) {
    throw usage_error("an infinite score", "expected finite numbers, or NaN for a missing one");
  }
}

// The score as mean_ranks() sorts it: smaller is better, and missing is worst.
double badness(double score, Better better) {
  if (std::isnan(score)) return std::numeric_limits<double>::infinity();
  return better == Better::kHigher ? -score : score;
}

struct Shape {
  double n;
  double k;
};

Shape shape_of(const Ranks& ranks) {
  return {static_cast<double>(ranks.datasets), static_cast<double>(ranks.methods)};
}

// sum R_j^2 - k (k + 1)^2 / 4 is the sum of squares around the mean rank; written this way it is never negative.
double chi_squared(const Ranks& ranks) {
  const auto [n, k] = shape_of(ranks);
  double squares = 0;
  for (const double rank : ranks.average) squares += (rank - (k + 1) / 2) * (rank - (k + 1) / 2);
  return 12 * n / (k * (k + 1)) * squares;
}

// The share of the largest possible variance of ranks that ties leave: 1 without ties, 0 if everything is tied.
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

std::vector<double> mean_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double rank = static_cast<double>(begin + 1 + end) / 2;
    for (; begin < end; ++begin) ranks[order[begin]] = rank;
  }
  return ranks;
}

double tie_sum(std::span<const double> mean_ranks) {
  std::vector<double> sorted(mean_ranks.begin(), mean_ranks.end());
  std::sort(sorted.begin(), sorted.end());
  double sum = 0;
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    const auto end = std::upper_bound(begin, sorted.end(), *begin);
    const auto size = static_cast<double>(end - begin);
    sum += size * size * size - size;
    begin = end;
  }
  return sum;
}

Ranks average_ranks(std::span<const double> scores, Index methods, Better better) {
  check_shape(scores, methods);
  Ranks result;
  result.methods = methods;
  result.datasets = static_cast<Index>(scores.size()) / methods;
  const auto columns = static_cast<std::size_t>(methods);
  result.average.resize(columns);
  std::vector<double> row(columns);
  for (std::size_t begin = 0; begin < scores.size(); begin += columns) {
    for (std::size_t m = 0; m < columns; ++m) row[m] = badness(scores[begin + m], better);
    const std::vector<double> ranks = mean_ranks(row);
    result.ranks.insert(result.ranks.end(), ranks.begin(), ranks.end());
    for (std::size_t m = 0; m < columns; ++m) result.average[m] += ranks[m];
  }
  for (double& average : result.average) average /= static_cast<double>(result.datasets);
  return result;
}

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
  // Ranks are halves over N, so a remainder other than 0 is far above the rounding error of chi2.
  constexpr double kRounding = 1e-12;
  const bool agree = rest <= kRounding * n * (k - 1);
  result.f = agree ? std::numeric_limits<double>::infinity() : (n - 1) * chi2 / rest;
  result.p = f_above(result.f, df1, df2);
  result.critical_value = f_critical(alpha, df1, df2);
  return result;
}

}  // namespace clade
