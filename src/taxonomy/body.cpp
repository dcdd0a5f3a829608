#include "taxonomy/body.h"

#include <algorithm>
#include <bit>

#include "core/check.h"

namespace clade {

TreeIndex::TreeIndex(std::span<const NodeId> parent, std::span<const Index> child_offset,
                     std::span<const NodeId> child_list) {
  const std::size_t nodes = parent.size() + 1;
  parent_.assign(1, kNoNode);
  parent_.insert(parent_.end(), parent.begin(), parent.end());

  size_.assign(nodes, 1);
  for (std::size_t v = nodes - 1; v > 0; --v) size_[static_cast<std::size_t>(parent_[v])] += size_[v];

  // Ids are topological, so one sweep gives every child its place after its earlier siblings.
  preorder_.assign(nodes, 1);
  for (std::size_t v = 0; v < nodes; ++v) {
    std::uint32_t next = preorder_[v] + 1;
    for (Index k = child_offset[v]; k < child_offset[v + 1]; ++k) {
      const auto child = static_cast<std::size_t>(child_list[static_cast<std::size_t>(k)]);
      preorder_[child] = next;
      next += size_[child];
    }
  }

  // The number with the most trailing zeros in [preorder, preorder + size): its high bits are those on which both ends
  // of the range agree.
  path_.resize(nodes);
  for (std::size_t v = 0; v < nodes; ++v) {
    const std::uint32_t first = preorder_[v];
    const std::uint32_t last = first + size_[v] - 1;
    const auto differing = static_cast<unsigned>(std::bit_width((first - 1) ^ last));
    path_[v] = last & ~((1U << (differing - 1)) - 1);
  }

  above_.assign(nodes, 0);
  top_.assign(nodes + 1, 0);
  above_[0] = path_[0] & (~path_[0] + 1);
  top_[path_[0]] = 0;
  for (std::size_t v = 1; v < nodes; ++v) {
    const auto p = static_cast<std::size_t>(parent_[v]);
    above_[v] = above_[p] | (path_[v] & (~path_[v] + 1));
    if (path_[v] != path_[p]) top_[path_[v]] = static_cast<NodeId>(v);
  }
}

// The lowest node at or above `node` on `path`, which is known to pass above it or to be its own.
NodeId TreeIndex::climb(NodeId node, std::uint32_t path) const {
  const auto v = static_cast<std::size_t>(node);
  if (path_[v] == path) return node;
  // The highest path strictly below `path` on the way up: the parent of its top node is on `path`.
  const auto level = static_cast<unsigned>(std::countr_zero(path));
  const std::uint32_t below = above_[v] & ((1U << level) - 1);
  const auto height = static_cast<unsigned>(std::bit_width(below)) - 1;
  const std::uint32_t child_path = ((preorder_[v] >> height) | 1U) << height;
  return parent_[static_cast<std::size_t>(top_[child_path])];
}

NodeId TreeIndex::lowest_common_ancestor(NodeId a, NodeId b) const {
  const auto u = static_cast<std::size_t>(a);
  const auto v = static_cast<std::size_t>(b);
  // The lowest level at which a path can be above both.
  const std::uint32_t differing = path_[u] ^ path_[v];
  const auto lowest = differing == 0 ? static_cast<unsigned>(std::countr_zero(path_[u]))
                                     : static_cast<unsigned>(std::bit_width(differing)) - 1;
  // If one path's name is a prefix of the other's, the level of the shorter one decides.
  const unsigned floor = std::max(
      {lowest, static_cast<unsigned>(std::countr_zero(path_[u])), static_cast<unsigned>(std::countr_zero(path_[v]))});
  const std::uint32_t common = above_[u] & above_[v] & ~((1U << floor) - 1);
  const auto level = static_cast<unsigned>(std::countr_zero(common));
  const std::uint32_t path = ((preorder_[u] >> level) | 1U) << level;
  const NodeId x = climb(a, path);
  const NodeId y = climb(b, path);
  return preorder_[static_cast<std::size_t>(x)] < preorder_[static_cast<std::size_t>(y)] ? x : y;
}

namespace {

// Groups the `to` ends of pairs by their `from` ends, ascending within a group. A counting sort, O(nodes + edges).
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
  for (std::size_t k = 0; k < nodes; ++k) {
    const auto begin = list.begin() + offset[k];
    const auto end = list.begin() + offset[k + 1];
    if (!std::is_sorted(begin, end)) std::sort(begin, end);
  }
}

}  // namespace

std::shared_ptr<const Taxonomy::Body> Taxonomy::Body::make(TaxonomyShape shape) {
  NameIndex by_name;
  CLADE_CHECK(by_name.build(shape.names) == kNoNode);
  return make(std::move(shape), std::move(by_name));
}

std::shared_ptr<const Taxonomy::Body> Taxonomy::Body::make(TaxonomyShape shape, NameIndex by_name) {
  auto body = std::make_shared<Body>();
  const std::size_t nodes = shape.names.size();
  CLADE_CHECK(nodes > 0);
  group_edges(nodes, shape.edges, false, body->child_offset, body->child_list);
  group_edges(nodes, shape.edges, true, body->parent_offset, body->parent_list);
  body->names = std::move(shape.names);
  body->input_position = std::move(shape.input_position);
  body->virtual_root = shape.virtual_root;
  body->first_miscellaneous = shape.first_miscellaneous;

  body->by_name = std::move(by_name);

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
