#pragma once

#include <optional>
#include <span>
#include <vector>

#include "classify/model_body.h"

namespace clade {

// For path and joint models, which compare all classes at once (scored_classes()).

// The score above which a class is a label of the sample; 0 if the model has learnt none.
double label_threshold(const ModelBody& model, std::span<const double> scores);

// The probabilities of all classes by the model's calibration. They sum to 1, unless samples may have several labels.
void class_probabilities(const ModelBody& model, std::span<const double> scores, std::span<double> probabilities);

// The score from which on a ranked class is a label of a sample that may have several: the probability at the learnt
// threshold, or one half, of a model with probabilities; 0 if ranks are by scores minus a threshold. None: the best
// class is the only label.
std::optional<double> label_cut(const ModelBody& model);

// The probabilities of all nodes of the taxonomy, by id: the sum over the classes at or below each.
class NodeProbabilities {
 public:
  explicit NodeProbabilities(const ModelBody& model);
  void set(std::span<const double> of_classes);
  double of(NodeId node) const { return sums_[static_cast<std::size_t>(node)]; }
  // The most probable child, the first of equals, or kNoNode at a class.
  NodeId best_child(NodeId node) const;

 private:
  const Taxonomy& taxonomy_;
  std::vector<std::vector<NodeId>> at_or_above_;  // by class
  std::vector<double> sums_;
};

}  // namespace clade
