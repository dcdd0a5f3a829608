#pragma once

#include <clade/taxonomy.h>

#include <cstdint>

namespace clade {

// A tree over the same nodes at the same levels with random edges (Cai, thesis, 7.4.3), to find out what a hierarchy is
// worth.
//
// Kept are all names, the level of every node, and which nodes are leaves: so the number of inner nodes and of leaves
// at every level. A node's parent is a random inner node of the level above. First every inner node is given one child,
// drawn from all nodes of the level below without repetition; then every other node a parent, each equally
// likely. The level of a node of a DAG is its depth by the longest way; the result is a tree all the same.
//
// Throws Error (kInput) for a DAG in which a level has more inner nodes than the level below has nodes, which no such
// tree has.
Taxonomy random_taxonomy_like(const Taxonomy& like, std::uint64_t seed);

}  // namespace clade
