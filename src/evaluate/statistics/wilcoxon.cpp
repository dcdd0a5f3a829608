#include "evaluate/statistics/wilcoxon.h"

#include <clade/compare.h>

#include <algorithm>
#include <cmath>

#include "evaluate/statistics/distributions.h"
#include "evaluate/statistics/ranks.h"

namespace clade {
namespace {

constexpr std::size_t kMostExact = 50;  // 2^50 sign vectors are still counted exactly by a double

// 2 P(W <= statistic), W the sum of those ranks whose coin shows heads. Twice a mean rank is a whole number, so the
// number of sign vectors with each sum can be counted, ties or not.
double exact_p(std::span<const double> ranks, double statistic) {
  std::vector<double> vectors_with_sum = {1};
  for (const double rank : ranks) {
    const auto step = static_cast<std::size_t>(std::lround(2 * rank));
    std::vector<double> next(vectors_with_sum.size() + step);
    for (std::size_t sum = 0; sum < vectors_with_sum.size(); ++sum) {
      next[sum] += vectors_with_sum[sum];
      next[sum + step] += vectors_with_sum[sum];
    }
    vectors_with_sum = std::move(next);
  }
  const auto last = static_cast<std::size_t>(std::lround(2 * statistic));
  double vectors = 0;
  for (std::size_t sum = 0; sum <= last; ++sum) vectors += vectors_with_sum[sum];
  return std::min(1.0, 2 * vectors / std::exp2(static_cast<double>(ranks.size())));
}

double approximate_p(std::span<const double> ranks, double statistic) {
  const auto n = static_cast<double>(ranks.size());
  const double mean = n * (n + 1) / 4;
  const double variance = (n * (n + 1) * (2 * n + 1) - tie_sum(ranks) / 2) / 24;
  return std::min(1.0, 2 * normal_above(std::abs(statistic - mean) / std::sqrt(variance)));
}

}  // namespace

SignedRanks signed_ranks(std::span<const double> differences) {
  std::vector<double> magnitudes;
  std::vector<bool> above;
  for (const double difference : differences) {
    if (difference == 0) continue;
    magnitudes.push_back(std::abs(difference));
    above.push_back(difference > 0);
  }
  SignedRanks result;
  result.ranks = mean_ranks(magnitudes);
  for (std::size_t k = 0; k < above.size(); ++k) (above[k] ? result.positive : result.negative) += result.ranks[k];
  return result;
}

WilcoxonTest wilcoxon_test(std::span<const double> differences) {
  const SignedRanks signs = signed_ranks(differences);
  WilcoxonTest result;
  result.differences = std::ssize(signs.ranks);
  result.zeros = std::ssize(differences) - result.differences;
  if (signs.ranks.empty()) return result;
  result.statistic = std::min(signs.positive, signs.negative);
  result.exact = signs.ranks.size() <= kMostExact;
  result.p = result.exact ? exact_p(signs.ranks, result.statistic) : approximate_p(signs.ranks, result.statistic);
  return result;
}

}  // namespace clade
