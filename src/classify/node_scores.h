#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/node_scores.h>

#include <span>

#include "classify/model_body.h"

namespace clade {

// node_scores() for data that has the model's features by position and only finite values.
NodeScores node_scores(const ModelBody& model, const Dataset& data, Consistency consistency, Context& ctx);

// The nodes before the miscellaneous leaves.
Index scored_nodes(const Taxonomy& taxonomy);

// For the table of kinds of models; see ModelKindInfo::score_nodes.
//
// Top-down: probability flows from the root. A node with several parents gets what comes through all of them, at most
// 1, or the largest of it where nodes judge each child by itself.
void score_nodes_top_down(const ModelBody& model, const Dataset& data, Index begin, Index end, std::span<double> rows,
                          Context& ctx);
// Path and joint models score classes. Their probabilities come from the model's calibration. Without one, they are a
// softmax of the scores where samples have one label, and 1 / (1 + exp(threshold - score)) where they have several. An
// inner node has the probabilities of the classes below it together, or with several labels the largest.
void score_nodes_by_classes(const ModelBody& model, const Dataset& data, Index begin, Index end, std::span<double> rows,
                            Context& ctx);

}  // namespace clade
