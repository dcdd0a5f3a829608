#pragma once

#include <clade/model.h>
#include <clade/types.h>

#include <string>
#include <vector>

namespace clade {

// The features that speak most for a class, and against it, by the weights of a linear model.
struct TellingFeatures {
  struct Weighted {
    FeatureIndex feature;
    double weight;  // of the class minus the mean weight of its rivals
  };
  NodeId node = kNoNode;            // where the decision is made; the root for models that compare all classes at once
  std::vector<Weighted> in_favour;  // largest weights first
  std::vector<Weighted> against;    // smallest weights first
  // Models with a kernel: training samples instead of features.
  struct Example {
    std::string name;
    std::vector<NodeId> labels;  // empty: the model file does not have them
    double weight;
  };
  std::vector<Example> examples;          // largest weights first
  std::vector<Example> counter_examples;  // smallest weights first
};

// One entry for each node at which the class is chosen: its parents in a top-down model, otherwise the root. The rivals
// are the other children of that node; for path and joint models, all classes that are not at or below `node`. At most
// `top` features, or training samples, of each kind. Throws Error (kInput) for votes of pairs, which have no such
// weights, and for a node that the model cannot predict.
std::vector<TellingFeatures> telling_features(const Model& model, NodeId node, Index top);

}  // namespace clade
