#pragma once

#include <span>
#include <vector>

#include "classify/model_body.h"

namespace clade {

// The scores of the children, larger is better: votes if outputs are for pairs, otherwise the outputs themselves.
void child_scores(const NodeClassifier& node, std::span<const double> outputs, std::span<double> scores);

// Probabilities of the children: calibrated if the model is, shares of the votes if outputs are for pairs, otherwise a
// softmax of the scores. They sum to 1, unless samples may have several labels and each child is calibrated by itself.
void child_probabilities(const NodeClassifier& node, std::span<const double> scores, bool is_multilabel,
                         std::span<double> probabilities);

// The position of the largest value; the first of equals.
std::size_t best_of(std::span<const double> values);

}  // namespace clade
