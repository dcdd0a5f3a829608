#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "experiment/results.h"

namespace clade {
namespace {

constexpr std::size_t kMostPairedMethods = 40;  // 780 pairs
constexpr std::size_t kFewestFolds = 2;
constexpr double kMostWork = 2e8;  // signs to try on one data set: a fraction of a second

// The values of two methods in the repeats and folds that both have.
std::vector<double> common_differences(const MeasuredMethods::Place& a, const MeasuredMethods::Place& b) {
  const std::map<std::pair<Index, Index>, double> of_b(b.paired.begin(), b.paired.end());
  std::vector<double> left;
  std::vector<double> right;
  for (const auto& [key, value] : a.paired) {
    const auto found = of_b.find(key);
    if (found == of_b.end()) continue;
    left.push_back(value);
    right.push_back(found->second);
  }
  return paired_differences(left, right);
}

// Random signs are tried for so many differences; all signs of fewer.
double test_cost(std::size_t differences) {
  constexpr std::size_t kMostExact = 20;
  const auto count = static_cast<double>(differences);
  return count * (differences <= kMostExact ? std::pow(2, count) : 1e5);
}

std::size_t best_method(const MeasuredMethods& measured, std::size_t dataset) {
  std::size_t best = 0;
  while (best + 1 < measured.methods.size() && !measured.is_best(dataset, best)) ++best;
  return best;
}

// All pairs of methods, or those with the best one where all would take too long.
void add_fold_tests(const MeasuredMethods& measured, std::size_t dataset, MethodTests& tests, Context& ctx) {
  const std::size_t first = tests.folds.size();
  std::vector<double> p;
  const std::size_t best = best_method(measured, dataset);
  const auto methods = static_cast<double>(measured.methods.size());
  const double pairs = methods * (methods - 1) / 2;
  const bool only_best = pairs * test_cost(measured.at(dataset, best).paired.size()) > kMostWork;
  for (std::size_t a = 0; a < measured.methods.size(); ++a) {
    for (std::size_t b = a + 1; b < measured.methods.size(); ++b) {
      if (only_best && a != best && b != best) continue;
      const std::vector<double> differences = common_differences(measured.at(dataset, a), measured.at(dataset, b));
      if (differences.size() < kFewestFolds) continue;
      FoldComparison pair{.dataset = dataset, .a = a, .b = b, .folds = std::ssize(differences)};
      for (const double d : differences) pair.difference += d / static_cast<double>(differences.size());
      pair.p = permutation_test(differences, ctx).p;
      p.push_back(pair.p);
      tests.folds.push_back(pair);
    }
  }
  const std::vector<double> adjusted = holm_adjusted(p);
  for (std::size_t k = 0; k < adjusted.size(); ++k) tests.folds[first + k].p_holm = adjusted[k];
}

}  // namespace

MethodTests tests_of(const MeasuredMethods& measured, Context& ctx) {
  MethodTests tests;
  const std::size_t methods = measured.methods.size();
  if (methods < 2) return tests;
  if (methods > kMostPairedMethods) {
    tests.note =
        fmt::format("{} methods are too many to test in pairs: `clade compare` tests what is chosen of them", methods);
    return tests;
  }
  std::vector<double> scores;
  for (std::size_t d = 0; d < measured.datasets.size(); ++d) {
    std::vector<double> row;
    for (std::size_t m = 0; m < methods; ++m) {
      if (const auto mean = measured.at(d, m).mean()) row.push_back(*mean);
    }
    if (row.size() == methods) {
      tests.datasets.push_back(d);
      scores.insert(scores.end(), row.begin(), row.end());
    }
    add_fold_tests(measured, d, tests, ctx);
  }
  if (tests.datasets.size() < measured.datasets.size()) {
    tests.note = fmt::format("left out of the ranks: data sets on which a method has no value ({})",
                             measured.datasets.size() - tests.datasets.size());
  }
  if (tests.datasets.size() < 2) return tests;
  const CompareOptions options{.better = measured.higher_is_better ? Better::kHigher : Better::kLower};
  tests.comparison = compare_methods(scores, static_cast<Index>(methods), options, ctx);
  return tests;
}

}  // namespace clade
