#pragma once

#include <clade/dataset.h>
#include <clade/explain.h>
#include <clade/predict.h>

#include <string>
#include <vector>

namespace clade {

// A sample's path from the root to its label, for people: at each node the child taken, its probability, the second
// best child, and the features that decided.
std::string explanation_text(const Model& model, const Dataset& data, Index sample, NodeId label, double score,
                             const std::vector<Step>& steps);

// The most telling features of a class, for people and for programs.
std::string telling_features_text(const Model& model, NodeId node, const std::vector<TellingFeatures>& found);
std::string telling_features_json(const Model& model, NodeId node, const std::vector<TellingFeatures>& found);

}  // namespace clade
