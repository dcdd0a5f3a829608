#pragma once

#include <clade/feature_tree.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/output_file.h"
#include "io/input.h"

namespace clade {

// tree.json (docs/formats/feature-tree.md): either a node {"name", "features", "children"}, or a document
// {"features", "tree": node, "method", "parameters", "notes"}.

// The features of a data set that a tree is read for.
struct KnownFeatures {
  Index count = 0;
  std::span<const std::string> names;  // empty: they have none, and are known by their numbers
};

// Without `known`, the features are those that the file lists or mentions.
FeatureHierarchy parse_feature_tree(const Input& input, const std::optional<KnownFeatures>& known);
void print_feature_tree(const FeatureHierarchy& hierarchy, Sink& sink);

// Do these first bytes of a JSON text begin a feature tree?
bool looks_like_feature_tree(std::string_view head);
// Is the file JSON by its name, and a feature tree by its first bytes?
bool is_feature_tree_file(const std::string& path, Context& ctx);

}  // namespace clade
