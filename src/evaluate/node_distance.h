#pragma once

#include <clade/context.h>
#include <clade/taxonomy.h>

#include <span>
#include <vector>

namespace clade {

struct NodePair {
  NodeId a;
  NodeId b;
};

// Edges on the shortest undirected path between the nodes of each pair.
//
// Tree: through the lowest common ancestor, O(1) a pair. DAG: breadth-first searches from 256 nodes at a time, one bit
// each, so that a pass over the edges serves all of them: O(distinct nodes / 256 x levels x edges + pairs x distance).
// Each thread needs three bits per node and search.
std::vector<int> distances(const Taxonomy& taxonomy, std::span<const NodePair> pairs, Context& ctx);

// The largest distance between two nodes of the taxonomy.
//
// Tree: O(nodes). DAG: the searches above, from the nodes furthest from the root first, until the remaining nodes are
// too close to the root for any pair to be further apart than the largest distance found.
int largest_distance(const Taxonomy& taxonomy, Context& ctx);

}  // namespace clade
