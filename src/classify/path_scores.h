#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/model.h>
#include <clade/predictions.h>

namespace clade {

// Prediction by a model of paths: the score of a leaf is the sum over the nodes of its path, the root left out, of
//
//   level weight(depth of the node) x output of the node,
//
// in a DAG along the best path. Every sample gets its top_k best leaves.
Predictions predict_paths(const Model& model, const Dataset& data, Index top_k, Context& ctx);

}  // namespace clade
