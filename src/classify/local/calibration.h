#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "classify/model_body.h"

namespace clade {

// Maps from scores to probabilities, learnt on the scores of samples that were not used in training. Scores must be
// finite, weights finite and not negative (an empty span means 1 each); anything else throws Error (kInput). A weight
// of 2 counts as two samples, a weight of 0 as none.

// p(s) = 1 / (1 + exp(a s + b)) with the largest likelihood of the targets
//
//   t = (P + 1) / (P + 2) for positives      t = 1 / (N + 2) for the others      P, N: how many there are
//
// These targets stand for a uniform prior and keep the optimum finite (J. Platt, Probabilistic outputs for support
// vector machines, 1999; Newton's method with step halving as in H.-T. Lin, C.-J. Lin, R. Weng, A note on Platt's
// probabilistic outputs, 2007). Larger scores get smaller probabilities if the data says so. Equal scores, a single
// class, or no samples at all give a constant. O(samples) per step, about a dozen steps.
Calibration fit_sigmoid(std::span<const double> scores, std::span<const char> is_positive,
                        std::span<const double> weight);

// The rising function with the least squared error: means of blocks of neighbouring scores, found by pooling adjacent
// violators. Scores that are equal to 1e-9 of the largest get the same value. Values are kept within [1 / (n + 2),
// (n + 1) / (n + 2)], n being the total weight, so that nothing is certain. The points are the ends of the blocks.
// O(samples log samples).
Calibration fit_isotonic(std::span<const double> scores, std::span<const char> is_positive,
                         std::span<const double> weight);

// The probability that a calibration gives to a score; 1 / (1 + exp(-score)) without one (kNone).
double probability(const Calibration& calibration, double score);
// Its logarithm, which is finite even if the probability is too small for a double.
double log_probability(const Calibration& calibration, double score);

// The t > 0 for which softmax(t scores) has the largest likelihood of the labels: minimises
//
//   - sum_i weight_i log softmax(t scores[i])[label[i]]
//
// which is convex in t. If there is no minimum (every label has the largest score, or the scores say nothing), t stays
// between 1/1000 and 1000 divided by the largest difference between two scores of a sample; it is 1 if all are equal.
// label[i] is a position in scores[i].
double fit_temperature(const std::vector<std::vector<double>>& scores, std::span<const std::int32_t> label,
                       std::span<const double> weight);

}  // namespace clade
