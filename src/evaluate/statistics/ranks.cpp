#include "evaluate/statistics/ranks.h"

#include <clade/compare.h>
#include <clade/error.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

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

// Smaller is better and missing is worst: what mean_ranks() puts in order.
double badness(double score, Better better) {
  if (std::isnan(score)) return std::numeric_limits<double>::infinity();
  return better == Better::kHigher ? -score : score;
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

}  // namespace clade
