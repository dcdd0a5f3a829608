#include "classify/class_probabilities.h"

#include <algorithm>
#include <cmath>

#include "classify/linear_scores.h"
#include "classify/local/calibration.h"

namespace clade {

double label_threshold(const ModelBody& model, std::span<const double> scores) {
  if (model.threshold.empty()) return 0;
  double threshold = model.threshold.back();
  for (std::size_t c = 0; c < scores.size(); ++c) threshold += model.threshold[c] * scores[c];
  return threshold;
}

void class_probabilities(const ModelBody& model, std::span<const double> scores, std::span<double> probabilities) {
  if (model.sigmoid) {
    const double threshold = label_threshold(model, scores);
    for (std::size_t c = 0; c < scores.size(); ++c) {
      probabilities[c] = probability(*model.sigmoid, scores[c] - threshold);
    }
    return;
  }
  const double largest = *std::ranges::max_element(scores);
  double sum = 0;
  for (std::size_t c = 0; c < scores.size(); ++c) {
    probabilities[c] = std::exp(model.nodes[0].temperature * (scores[c] - largest));
    sum += probabilities[c];
  }
  const double even = model.doubt / static_cast<double>(scores.size());
  for (double& p : probabilities) p = (1 - model.doubt) * p / sum + even;
}

std::optional<double> label_cut(const ModelBody& model) {
  constexpr double kLikely = 0.5;
  if (!model.sigmoid) return model.threshold.empty() || model.has_probabilities ? std::nullopt : std::optional(0.0);
  return model.threshold.empty() ? kLikely : probability(*model.sigmoid, 0);
}

NodeProbabilities::NodeProbabilities(const ModelBody& model)
    : taxonomy_(*model.taxonomy), sums_(static_cast<std::size_t>(model.taxonomy->size())) {
  for (const NodeId one : scored_classes(model)) {
    at_or_above_.push_back(taxonomy_.ancestors(one));
    at_or_above_.back().push_back(one);
  }
}

void NodeProbabilities::set(std::span<const double> of_classes) {
  std::ranges::fill(sums_, 0.0);
  for (std::size_t c = 0; c < of_classes.size(); ++c) {
    for (const NodeId node : at_or_above_[c]) sums_[static_cast<std::size_t>(node)] += of_classes[c];
  }
}

NodeId NodeProbabilities::best_child(NodeId node) const {
  const auto children = taxonomy_.children(node);
  const auto best = std::ranges::max_element(children, {}, [&](NodeId child) { return of(child); });
  return best == children.end() ? kNoNode : *best;
}

}  // namespace clade
