#pragma once

#include <span>
#include <vector>

#include "classify/model_body.h"

namespace clade {

// What a node's outputs say of its children: the larger of a child, the better. Votes for pairs; outputs otherwise.
void child_scores(const NodeClassifier& node, std::span<const double> outputs, std::span<double> scores);

// Probabilities of the children: calibrated where the model is, a softmax of the scores otherwise, shares of the votes
// for pairs. They sum to 1, unless samples may have several labels and calibration judges each child by itself.
void child_probabilities(const NodeClassifier& node, std::span<const double> scores, bool is_multilabel,
                         std::span<double> probabilities);

// The largest; of equals the first.
std::size_t best_of(std::span<const double> values);

}  // namespace clade
