#include "classify/node_decision.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "classify/local/calibration.h"

namespace clade {

void child_scores(const NodeClassifier& node, std::span<const double> outputs, std::span<double> scores) {
  if (node.decision == Decision::kScores) {
    std::copy(outputs.begin(), outputs.end(), scores.begin());
    return;
  }
  std::fill(scores.begin(), scores.end(), 0.0);
  std::size_t pair = 0;
  for (std::size_t a = 0; a < scores.size(); ++a) {
    for (std::size_t b = a + 1; b < scores.size(); ++b) scores[outputs[pair++] > 0 ? a : b] += 1;
  }
}

void child_probabilities(const NodeClassifier& node, std::span<const double> scores, bool is_multilabel,
                         std::span<double> probabilities) {
  if (scores.size() == 1) {
    probabilities[0] = 1;
    return;
  }
  const bool is_calibrated = !node.calibration.empty();
  if (is_calibrated && is_multilabel) {
    for (std::size_t c = 0; c < scores.size(); ++c) probabilities[c] = probability(node.calibration[c], scores[c]);
    return;
  }
  std::copy(scores.begin(), scores.end(), probabilities.begin());
  if (is_calibrated) {
    // Calibrated one by one, all children may look unlikely, or several likely: the temperature makes up for it.
    // Logarithms, because a probability may be too small for a double.
    for (std::size_t c = 0; c < scores.size(); ++c) probabilities[c] = log_probability(node.calibration[c], scores[c]);
  }
  if (is_calibrated || node.decision == Decision::kScores) {
    const double largest = *std::max_element(probabilities.begin(), probabilities.end());
    for (double& p : probabilities) p = std::exp(node.temperature * (p - largest));
  }
  const double sum = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  for (double& p : probabilities) p /= sum;
}

std::size_t best_of(std::span<const double> values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

}  // namespace clade
