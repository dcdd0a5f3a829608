#pragma once

#include <clade/dataset.h>
#include <clade/predict.h>

#include <string>
#include <vector>

namespace clade {

// A sample's path from the root to its label, for people: at each node the child taken, its probability, the second
// best child, and the features that decided.
std::string explanation_text(const Model& model, const Dataset& data, Index sample, NodeId label, double score,
                             const std::vector<Step>& steps);

}  // namespace clade
