#pragma once

#include <clade/taxonomy.h>
#include <clade/types.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "taxonomy/name_index.h"

namespace clade {

// Constant-time ancestry and lowest common ancestors of a tree, in memory linear in its nodes: the method of Schieber
// and Vishkin (1988). Nodes are divided into vertical paths, each named by the preorder number with the most trailing
// zeros below its top; the paths above a node are then the bits of one word.
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
  std::vector<std::uint32_t> path_;      // the name of the path that a node is on
  std::vector<std::uint32_t> above_;     // bit h: a path whose name has h trailing zeros is at or above the node
  std::vector<NodeId> top_;              // path -> its top node
  std::vector<NodeId> parent_;
};

// What defines a taxonomy: names by id, and edges between ids that are already topological.
struct TaxonomyShape {
  std::vector<std::string> names;
  std::vector<NodeId> input_position;
  std::vector<std::pair<NodeId, NodeId>> edges;  // parent, child
  bool virtual_root = false;
  NodeId first_miscellaneous = std::numeric_limits<NodeId>::max();
};

// The immutable data behind a Taxonomy: edges in both directions as offsets into one list, and what is derived from
// them once. Linear in nodes + edges.
struct Taxonomy::Body {
  std::vector<std::string> names;
  NameIndex by_name;
  std::vector<NodeId> input_position;
  std::vector<Index> parent_offset, child_offset;
  std::vector<NodeId> parent_list, child_list;
  std::vector<int> depth, shortest_depth;
  std::vector<NodeId> leaves, internal;
  int longest_path = 0;
  bool virtual_root = false;
  bool tree = true;
  NodeId first_miscellaneous = std::numeric_limits<NodeId>::max();
  TreeIndex tree_index;  // empty for a DAG

  std::span<const NodeId> parents(NodeId node) const { return slice(parent_offset, parent_list, node); }
  std::span<const NodeId> children(NodeId node) const { return slice(child_offset, child_list, node); }

  // The names must be different.
  static std::shared_ptr<const Body> make(TaxonomyShape shape);
  // The same with the index of the names.
  static std::shared_ptr<const Body> make(TaxonomyShape shape, NameIndex by_name);

 private:
  static std::span<const NodeId> slice(const std::vector<Index>& offset, const std::vector<NodeId>& list, NodeId node) {
    const auto begin = static_cast<std::size_t>(offset[static_cast<std::size_t>(node)]);
    const auto end = static_cast<std::size_t>(offset[static_cast<std::size_t>(node) + 1]);
    return {list.data() + begin, end - begin};
  }
};

}  // namespace clade
