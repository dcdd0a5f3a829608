#pragma once

#include <clade/types.h>

#include <vector>

#include "classify/classifier.h"

namespace clade {

// The features, ascending, that the weights of a node may use in a classifier that compares all nodes, if every inner
// node has a list of its own: that of its parent, which is about telling the node from its siblings; with several
// parents, all of theirs. A parent with samples of one child only, whose list is about nothing, has those of its own
// parents.
std::vector<FeatureIndex> features_of_node(const TrainingInput& input, NodeId node);

// The features of a class in a classifier without weights for the nodes above it: those of the node and of all its
// ancestors, which together tell it from all other classes.
std::vector<FeatureIndex> features_of_path(const TrainingInput& input, NodeId node);

// All features that are in some list, ascending.
std::vector<FeatureIndex> features_of_all(const std::vector<std::vector<FeatureIndex>>& lists);

}  // namespace clade
