#pragma once

#include <clade/types.h>

#include <cstdint>
#include <span>
#include <vector>

namespace clade {

// Constant-time ancestry and lowest common ancestors of a tree, in memory linear in its nodes: the method of
// Schieber and Vishkin (1988). Nodes are cut into vertical paths, each named by the preorder number with the most
// trailing zeros below its top; the paths above a node are then the bits of one word.
class TreeIndex {
 public:
  TreeIndex() = default;
  // `parent[v - 1]` is the parent of node v >= 1; parents have smaller ids than children; 0 is the root.
  TreeIndex(std::span<const NodeId> parent, std::span<const Index> child_offset, std::span<const NodeId> child_list);

  bool is_ancestor(NodeId above, NodeId below) const {
    const auto a = static_cast<std::size_t>(above);
    const auto b = static_cast<std::size_t>(below);
    return preorder_[a] < preorder_[b] && preorder_[b] < preorder_[a] + size_[a];
  }
  NodeId lowest_common_ancestor(NodeId a, NodeId b) const;

 private:
  NodeId climb(NodeId node, std::uint32_t path) const;

  std::vector<std::uint32_t> preorder_;  // from 1
  std::vector<std::uint32_t> size_;      // nodes in the subtree
  std::vector<std::uint32_t> path_;      // the path a node is on
  std::vector<std::uint32_t> above_;     // bit h set: a path whose name has h trailing zeros is at or above the node
  std::vector<NodeId> top_;              // path -> its top node
  std::vector<NodeId> parent_;
};

}  // namespace clade
