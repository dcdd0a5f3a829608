#pragma once

#include <span>
#include <vector>

#include "classify/narrowing.h"

namespace clade {

// At most `most` nodes, none below another, as deep as that allows, that have all the labels at or below them; there
// are labels. From the root down, a node is replaced by those of its children that are needed: first where one is, then
// where most nodes are left out for each child more than one. In a tree, one node is the lowest common ancestor, and
// with room for all labels they are those of them that are below no other. O(nodes + most x children).
std::vector<NodeId> node_cover(const AnswerSpace& space, std::span<const NodeId> labels, Index most);

}  // namespace clade
