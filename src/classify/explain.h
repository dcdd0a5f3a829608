#pragma once

#include <clade/dataset.h>
#include <clade/model.h>

#include <vector>

namespace clade {

// Why a sample goes from a node to one of its children and not to the next best one.
struct Step {
  NodeId node = kNoNode;
  NodeId child = kNoNode;
  NodeId rival = kNoNode;  // the next best child; kNoNode: there is none
  double probability = 1;  // of the child at this node
  double margin = 0;       // score of the child less that of the rival
  struct Reason {
    FeatureIndex feature;
    double value;         // of the sample
    double contribution;  // to the margin
  };
  std::vector<Reason> reasons;  // largest contributions first
};

// The steps from the root to `label` by its most probable way, with at most `reasons` features each. For models of
// top-down decisions with a score per child; empty for others.
std::vector<Step> explain(const Model& model, const Dataset& data, Index sample, NodeId label, Index reasons);

}  // namespace clade
