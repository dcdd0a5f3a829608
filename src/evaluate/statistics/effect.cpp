#include <clade/compare.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "evaluate/statistics/wilcoxon.h"

namespace clade {
namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median_of(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

std::optional<double> rank_biserial_of(std::span<const double> differences) {
  const SignedRanks signs = signed_ranks(differences);
  if (signs.ranks.empty()) return std::nullopt;
  return (signs.positive - signs.negative) / (signs.positive + signs.negative);
}

std::optional<double> cohens_d_of(std::span<const double> differences) {
  const bool equal = std::all_of(differences.begin(), differences.end(), [&](double d) { return d == differences[0]; });
  if (equal) return std::nullopt;  // decided before rounding can make a deviation of it
  const double mean = mean_of(differences);
  double squares = 0;
  for (const double difference : differences) squares += (difference - mean) * (difference - mean);
  return mean / std::sqrt(squares / static_cast<double>(differences.size() - 1));
}

}  // namespace

PairedEffect paired_effect(std::span<const double> differences, Better better) {
  PairedEffect result;
  if (differences.empty()) return result;
  for (const double difference : differences) {
    const bool better_a = better == Better::kHigher ? difference > 0 : difference < 0;
    ++(difference == 0 ? result.ties : better_a ? result.wins : result.losses);
  }
  result.mean = mean_of(differences);
  result.median = median_of(differences);
  result.rank_biserial = rank_biserial_of(differences);
  result.cohens_d = cohens_d_of(differences);
  return result;
}

}  // namespace clade
