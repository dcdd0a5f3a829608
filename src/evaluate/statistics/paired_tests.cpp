#include <clade/compare.h>
#include <clade/context.h>
#include <clade/error.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/parallel.h"
#include "core/random.h"
#include "evaluate/statistics/distributions.h"
#include "evaluate/statistics/ranks.h"

namespace clade {
namespace {

// How far the difference of two decimals can be from the difference of their nearest doubles.
double rounding_of(double a, double b) {
  return 2 * std::numeric_limits<double>::epsilon() * std::max(std::abs(a), std::abs(b));
}

// The differences other than 0, ranked by magnitude, and the sums of the ranks by sign.
struct SignedRanks {
  std::vector<double> ranks;
  double positive = 0;
  double negative = 0;
};

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

// Wilcoxon.

constexpr std::size_t kMostExactRanks = 50;  // a double still counts 2^50 sign vectors exactly

// 2 P(W <= statistic), where W is the sum of the ranks whose coin toss shows heads. Twice a mean rank is a whole
// number, so the sign vectors with each sum can be counted, even with ties.
double exact_rank_p(std::span<const double> ranks, double statistic) {
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

double approximate_rank_p(std::span<const double> ranks, double statistic) {
  const auto n = static_cast<double>(ranks.size());
  const double mean = n * (n + 1) / 4;
  const double variance = (n * (n + 1) * (2 * n + 1) - tie_sum(ranks) / 2) / 24;
  return std::min(1.0, 2 * normal_above(std::abs(statistic - mean) / std::sqrt(variance)));
}

// Permutations of signs.

constexpr std::size_t kMostExactSums = 20;
constexpr Index kDraws = 100'000;
constexpr Index kDrawsPerChunk = 4096;
constexpr Index kSumsPerChunk = 64;
// Differences of decimals carry rounding errors. Sums that differ by less than this share of all magnitudes count as
// equal.
constexpr double kRounding = 1e-9;

void add(Index& total, Index part) {
  total += part;
}

std::vector<double> without_zeros(std::span<const double> differences) {
  std::vector<double> result;
  for (const double difference : differences) {
    if (difference != 0) result.push_back(difference);
  }
  return result;
}

// A sum of at least this magnitude is at least as far from 0 as the sum of the differences themselves.
double threshold(std::span<const double> differences) {
  double sum = 0;
  double magnitudes = 0;
  for (const double difference : differences) {
    sum += difference;
    magnitudes += std::abs(difference);
  }
  return std::abs(sum) - kRounding * magnitudes;
}

// The sums of all sign vectors.
std::vector<double> all_sums(std::span<const double> values) {
  std::vector<double> sums = {0};
  for (const double value : values) {
    const std::size_t count = sums.size();
    for (std::size_t k = 0; k < count; ++k) {
      sums.push_back(sums[k] + value);
      sums[k] -= value;
    }
  }
  return sums;
}

// Every sign vector is a vector for the first half of the differences joined with one for the second half.
double exact_sum_p(std::span<const double> differences, Context& ctx) {
  const double far = threshold(differences);
  const std::vector<double> first = all_sums(differences.first(differences.size() / 2));
  const std::vector<double> second = all_sums(differences.subspan(differences.size() / 2));
  const auto count_far = [&](Index begin, Index end) {
    Index count = 0;
    for (Index k = begin; k < end; ++k) {
      for (const double sum : second) count += std::abs(first[static_cast<std::size_t>(k)] + sum) >= far ? 1 : 0;
    }
    return count;
  };
  const Index count = parallel_reduce(ctx, std::ssize(first), kSumsPerChunk, Index{0}, count_far, add);
  return static_cast<double>(count) / std::exp2(static_cast<double>(differences.size()));
}

double random_sum(std::span<const double> differences, RandomStream& random) {
  constexpr std::size_t kBits = 64;
  double sum = 0;
  std::uint64_t signs = 0;
  for (std::size_t k = 0; k < differences.size(); ++k) {
    if (k % kBits == 0) signs = random.next();
    sum += (signs & 1U) != 0 ? differences[k] : -differences[k];
    signs >>= 1U;
  }
  return sum;
}

// All pairs of a table draw the same signs, so that the answer for a pair does not depend on the other pairs.
double sampled_sum_p(std::span<const double> differences, Context& ctx) {
  const double far = threshold(differences);
  const auto count_far = [&](Index begin, Index end) {
    RandomStream random(ctx.seed(), {kPermutationStream, static_cast<std::uint64_t>(begin)});
    Index count = 0;
    for (Index draw = begin; draw < end; ++draw) count += std::abs(random_sum(differences, random)) >= far ? 1 : 0;
    return count;
  };
  const Index count = parallel_reduce(ctx, kDraws, kDrawsPerChunk, Index{0}, count_far, add);
  return static_cast<double>(count + 1) / static_cast<double>(kDraws + 1);
}

// Effects.

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
  if (equal) return std::nullopt;  // checked here, because rounding could make a deviation of it
  const double mean = mean_of(differences);
  double squares = 0;
  for (const double difference : differences) squares += (difference - mean) * (difference - mean);
  return mean / std::sqrt(squares / static_cast<double>(differences.size() - 1));
}

}  // namespace

std::vector<double> paired_differences(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) throw usage_error("scores of two methods differ in number", "expected pairs");
  std::vector<double> differences;
  std::vector<double> rounding;
  for (std::size_t d = 0; d < a.size(); ++d) {
    if (std::isnan(a[d]) || std::isnan(b[d])) continue;
    differences.push_back(a[d] - b[d]);
    rounding.push_back(rounding_of(a[d], b[d]));
  }
  std::vector<std::size_t> order(differences.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    const double left = std::abs(differences[i]);
    const double right = std::abs(differences[j]);
    return left != right ? left < right : i < j;
  });
  for (std::size_t first = 0, k = 1; k < order.size(); ++k) {
    const double magnitude = std::abs(differences[order[first]]);
    double& difference = differences[order[k]];
    // A magnitude of 0 means equal scores, which are recognised exactly.
    const bool tied = magnitude != 0 && std::abs(difference) - magnitude <= rounding[order[k]] + rounding[order[first]];
    if (tied) {
      difference = std::copysign(magnitude, difference);
    } else {
      first = k;
    }
  }
  return differences;
}

WilcoxonTest wilcoxon_test(std::span<const double> differences) {
  const SignedRanks signs = signed_ranks(differences);
  WilcoxonTest result;
  result.differences = std::ssize(signs.ranks);
  result.zeros = std::ssize(differences) - result.differences;
  if (signs.ranks.empty()) return result;
  result.statistic = std::min(signs.positive, signs.negative);
  result.exact = signs.ranks.size() <= kMostExactRanks;
  result.p =
      result.exact ? exact_rank_p(signs.ranks, result.statistic) : approximate_rank_p(signs.ranks, result.statistic);
  return result;
}

PermutationTest permutation_test(std::span<const double> differences, Context& ctx) {
  const std::vector<double> values = without_zeros(differences);
  if (values.empty()) return {};
  const bool exact = values.size() <= kMostExactSums;
  return {.p = exact ? exact_sum_p(values, ctx) : sampled_sum_p(values, ctx), .exact = exact};
}

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return p_values[i] < p_values[j]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto left = static_cast<double>(order.size() - k);
    largest = std::max(largest, std::min(1.0, left * p_values[order[k]]));
    adjusted[order[k]] = largest;
  }
  return adjusted;
}

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
