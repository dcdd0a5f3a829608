#pragma once

#include <clade/io.h>

#include <string>
#include <vector>

#include "io/parsed.h"

namespace clade {

// The taxonomy that label names alone imply: a tree of paths if they are paths (LabelPaths), else a root above one
// leaf per name, in numerical order if all names are whole numbers, else in byte order.
Taxonomy implied_taxonomy(const std::vector<std::string>& names, const ReadOptions& options, const std::string& file);

// Turns label names into nodes of `taxonomy`: by name, or, where there is no such name, by the last part of a path
// whose other parts lie above it. Labels that are ancestors of another label of their sample are dropped, as the more
// specific one implies them; repeats are dropped; both are counted in `notes`. Throws Error with the line of the first
// label that is not in the taxonomy.
LabelSets resolve_labels(const LabelNames& labels, const Taxonomy& taxonomy, const ReadOptions& options,
                         const std::string& file, std::vector<std::string>& notes);

// Keeps of a sample's labels (ascending) those that no other implies; returns how many were ancestors.
Index keep_most_specific(std::vector<NodeId>& labels, const Taxonomy& taxonomy);

}  // namespace clade
