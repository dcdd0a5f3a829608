#pragma once

#include <clade/context.h>
#include <clade/taxonomy.h>

#include <string>
#include <vector>

namespace clade {

// How much each node of a hierarchy counts, from a CSV file with the columns node and volume; nodes that it does not
// list count 1. Throws Error (kInput) for names that are no nodes and volumes below 0.
std::vector<double> read_node_volumes(const std::string& path, const Taxonomy& taxonomy, Context& ctx);

}  // namespace clade
