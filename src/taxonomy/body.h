#pragma once

#include <clade/taxonomy.h>

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "taxonomy/tree_index.h"

namespace clade {

// What defines a taxonomy: names by id and edges between ids that are topological already.
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
  std::unordered_map<std::string_view, NodeId> by_name;  // views into `names`
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

  static std::shared_ptr<const Body> make(TaxonomyShape shape);

 private:
  static std::span<const NodeId> slice(const std::vector<Index>& offset, const std::vector<NodeId>& list, NodeId node) {
    const auto begin = static_cast<std::size_t>(offset[static_cast<std::size_t>(node)]);
    const auto end = static_cast<std::size_t>(offset[static_cast<std::size_t>(node) + 1]);
    return {list.data() + begin, end - begin};
  }
};

}  // namespace clade
