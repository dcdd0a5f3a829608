#include <clade/compare.h>
#include <clade/context.h>

#include <cmath>

#include "core/parallel.h"
#include "core/random.h"

namespace clade {
namespace {

constexpr std::size_t kMostExact = 20;
constexpr Index kDraws = 100'000;
constexpr Index kDrawsPerChunk = 4096;
constexpr Index kSumsPerChunk = 64;
// Differences of decimals carry rounding errors. Sums that differ by less than this share of all magnitudes are equal.
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

// A sum whose magnitude reaches this is at least as far from 0 as that of the differences themselves.
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

// Every sign vector is one of the first half of the differences joined with one of the second.
double exact_p(std::span<const double> differences, Context& ctx) {
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

// All pairs of one table draw the same signs, so that the answer for a pair does not depend on which others there are.
double sampled_p(std::span<const double> differences, Context& ctx) {
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

}  // namespace

PermutationTest permutation_test(std::span<const double> differences, Context& ctx) {
  const std::vector<double> values = without_zeros(differences);
  if (values.empty()) return {};
  const bool exact = values.size() <= kMostExact;
  return {.p = exact ? exact_p(values, ctx) : sampled_p(values, ctx), .exact = exact};
}

}  // namespace clade
