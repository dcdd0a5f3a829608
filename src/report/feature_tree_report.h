#pragma once

#include <clade/feature_tree.h>

#include <string>

namespace clade {

// A description of a feature tree: its size, and a row per level of groups.
std::string feature_tree_text(const FeatureHierarchy& hierarchy);

// {"kind": "feature-tree", "method", "parameters", "features", "groups", "levels", "below_root", "per_level":
// [{"level", "groups", "features", "largest": {"name", "features"}}], "notes", "file"}; "file" is the file that holds
// the tree, and left out if none is given.
std::string feature_tree_json(const FeatureHierarchy& hierarchy, const std::string& file = {});

}  // namespace clade
