#pragma once

#include <clade/decide.h>

#include <vector>

namespace clade {

// What a decision on one sample got: nodes or labels, as the measure counts them.
struct DecisionTally {
  double common = 0;  // predicted and true
  double predicted = 0;
  double truth = 0;
};

// The measure of the options over samples; larger is better. Where precision is below the least, its lack, negative.
double decision_value(const std::vector<DecisionTally>& tallies, const DecideOptions& options);

// The standard error of the difference between the values of two decisions on the same samples, by each sample's
// influence on it; 0 for DecideFor::kRecall.
double difference_error(const std::vector<DecisionTally>& a, const std::vector<DecisionTally>& b,
                        const DecideOptions& options);

}  // namespace clade
