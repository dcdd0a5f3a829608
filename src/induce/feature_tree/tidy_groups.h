#pragma once

#include <clade/feature_tree.h>

#include <vector>

namespace clade {

// Removes groups that add nothing. `groups` has the root first and every group after its parent; each feature is listed
// once, in the smallest group that has it.
//
// - A group of fewer than `smallest` features is merged into the one above it.
// - A group without features other than those of its only child is replaced by the child; the root stays and its child
// goes.
// - A group more than `depth` levels below the root, counted after all this, is merged into the one at that depth.
//   0: no limit.
std::vector<FeatureGroup> tidy_groups(std::vector<FeatureGroup> groups, Index smallest, int depth);

}  // namespace clade
