#include "taxonomy/body.h"

#include <algorithm>

#include "core/check.h"

namespace clade {
namespace {

// Groups the `to` ends of pairs by their `from` end, ascending within a group: a counting sort, O(nodes + edges).
void group_edges(std::size_t nodes, const std::vector<std::pair<NodeId, NodeId>>& edges, bool by_child,
                 std::vector<Index>& offset, std::vector<NodeId>& list) {
  offset.assign(nodes + 1, 0);
  for (const auto& [parent, child] : edges) ++offset[static_cast<std::size_t>(by_child ? child : parent) + 1];
  for (std::size_t k = 0; k < nodes; ++k) offset[k + 1] += offset[k];
  list.resize(edges.size());
  std::vector<Index> next(offset.begin(), offset.end() - 1);
  for (const auto& [parent, child] : edges) {
    const NodeId from = by_child ? child : parent;
    list[static_cast<std::size_t>(next[static_cast<std::size_t>(from)]++)] = by_child ? parent : child;
  }
  for (std::size_t k = 0; k < nodes; ++k) std::sort(list.begin() + offset[k], list.begin() + offset[k + 1]);
}

}  // namespace

std::shared_ptr<const Taxonomy::Body> Taxonomy::Body::make(TaxonomyShape shape) {
  auto body = std::make_shared<Body>();
  const std::size_t nodes = shape.names.size();
  CLADE_CHECK(nodes > 0);
  group_edges(nodes, shape.edges, false, body->child_offset, body->child_list);
  group_edges(nodes, shape.edges, true, body->parent_offset, body->parent_list);
  body->names = std::move(shape.names);
  body->input_position = std::move(shape.input_position);
  body->virtual_root = shape.virtual_root;
  body->first_miscellaneous = shape.first_miscellaneous;

  body->by_name.reserve(nodes);
  for (std::size_t k = 0; k < nodes; ++k) body->by_name.emplace(body->names[k], static_cast<NodeId>(k));
  CLADE_CHECK(body->by_name.size() == nodes);

  body->depth.assign(nodes, 0);
  body->shortest_depth.assign(nodes, 0);
  for (NodeId node = 1; node < static_cast<NodeId>(nodes); ++node) {
    const auto above = body->parents(node);
    CLADE_CHECK(!above.empty() && above.back() < node);
    body->tree = body->tree && above.size() == 1;
    int longest = 0;
    int shortest = std::numeric_limits<int>::max();
    for (const NodeId parent : above) {
      longest = std::max(longest, body->depth[static_cast<std::size_t>(parent)]);
      shortest = std::min(shortest, body->shortest_depth[static_cast<std::size_t>(parent)]);
    }
    body->depth[static_cast<std::size_t>(node)] = longest + 1;
    body->shortest_depth[static_cast<std::size_t>(node)] = shortest + 1;
    body->longest_path = std::max(body->longest_path, longest + 1);
  }
  for (NodeId node = 0; node < static_cast<NodeId>(nodes); ++node) {
    (body->children(node).empty() ? body->leaves : body->internal).push_back(node);
  }
  if (body->tree) body->tree_index = TreeIndex(body->parent_list, body->child_offset, body->child_list);
  return body;
}

}  // namespace clade
