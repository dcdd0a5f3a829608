#include "classify/decide/decision_tally.h"

#include <cmath>

namespace clade {
namespace {

DecisionTally sum_of(const std::vector<DecisionTally>& tallies) {
  DecisionTally sum;
  for (const DecisionTally& one : tallies) {
    sum.common += one.common;
    sum.predicted += one.predicted;
    sum.truth += one.truth;
  }
  return sum;
}

double f1_of(const DecisionTally& tally) {
  const double both = tally.predicted + tally.truth;
  return both == 0 ? 0 : 2 * tally.common / both;
}

// How much the value changes with each sample: the derivative for its weight.
std::vector<double> influences(const std::vector<DecisionTally>& tallies, const DecideOptions& options) {
  std::vector<double> result;
  const DecisionTally sum = sum_of(tallies);
  const double value = decision_value(tallies, options);
  const bool is_mean = options.measure == DecideFor::kSampleF1;
  const double scale = is_mean ? static_cast<double>(tallies.size()) : sum.predicted + sum.truth;
  for (const DecisionTally& one : tallies) {
    const double own = is_mean ? f1_of(one) - value : 2 * one.common - value * (one.predicted + one.truth);
    result.push_back(own / scale);
  }
  return result;
}

}  // namespace

double decision_value(const std::vector<DecisionTally>& tallies, const DecideOptions& options) {
  if (options.measure == DecideFor::kSampleF1) {
    double total = 0;
    for (const DecisionTally& one : tallies) total += f1_of(one);
    return total / static_cast<double>(tallies.size());
  }
  const DecisionTally sum = sum_of(tallies);
  if (options.measure != DecideFor::kRecall) return f1_of(sum);
  const double precision = sum.predicted == 0 ? 1 : sum.common / sum.predicted;
  if (precision < options.least_precision) return precision - options.least_precision;
  return sum.truth == 0 ? 0 : sum.common / sum.truth;
}

double difference_error(const std::vector<DecisionTally>& a, const std::vector<DecisionTally>& b,
                        const DecideOptions& options) {
  if (options.measure == DecideFor::kRecall) return 0;
  const std::vector<double> of_a = influences(a, options);
  const std::vector<double> of_b = influences(b, options);
  double squares = 0;
  for (std::size_t s = 0; s < of_a.size(); ++s) squares += (of_a[s] - of_b[s]) * (of_a[s] - of_b[s]);
  return std::sqrt(squares);
}

}  // namespace clade
