#pragma once

#include <clade/taxonomy.h>

#include <span>
#include <vector>

#include "classify/model_body.h"

namespace clade {

// The classes of a path or joint model: nodes of the taxonomy, in id order for paths, in their order for joint models.
std::vector<NodeId> scored_classes(const ModelBody& model);

// The weight of every output in the score of a class of a path or joint model. In a DAG the path of a class is the one
// with the best score, which depends on the outputs of the sample; without outputs it is the first.
std::vector<double> output_weights(const ModelBody& model, NodeId of_class, std::span<const double> outputs = {});

// The weight of a feature, by its place among those with weights, in a weighted sum of outputs.
double feature_weight(const LinearOutputs& linear, std::size_t place, std::span<const double> of_outputs);

}  // namespace clade
