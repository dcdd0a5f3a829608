#pragma once

#include <clade/feature_tree.h>

#include <vector>

namespace clade {

// Groups without those that say nothing. `groups` has the root first and every group behind its parent; features are
// stated once, in the smallest group that has them.
//
// - A group of fewer than `smallest` features is merged into the one above it.
// - A group that has no features but those of its only child gives way to it; the root stays, and its child goes.
// - What is deeper than `depth` levels below the root, counted after all this, is merged into the group at that depth.
//   0: no limit.
std::vector<FeatureGroup> tidy_groups(std::vector<FeatureGroup> groups, Index smallest, int depth);

}  // namespace clade
