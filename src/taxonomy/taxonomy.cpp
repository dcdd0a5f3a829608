#include <clade/taxonomy.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <queue>

#include "core/check.h"
#include "taxonomy/body.h"

namespace clade {

NodeId Taxonomy::size() const {
  return static_cast<NodeId>(body_->names.size());
}
Index Taxonomy::edges() const {
  return static_cast<Index>(body_->child_list.size());
}
bool Taxonomy::has_virtual_root() const {
  return body_->virtual_root;
}
bool Taxonomy::is_tree() const {
  return body_->tree;
}

const std::string& Taxonomy::name(NodeId node) const {
  return body_->names[static_cast<std::size_t>(node)];
}

std::optional<NodeId> Taxonomy::find(std::string_view name) const {
  const NodeId found = body_->by_name.find(name, body_->names);
  if (found == kNoNode) return std::nullopt;
  return found;
}

std::span<const NodeId> Taxonomy::parents(NodeId node) const {
  return body_->parents(node);
}
std::span<const NodeId> Taxonomy::children(NodeId node) const {
  return body_->children(node);
}
std::span<const NodeId> Taxonomy::leaves() const {
  return body_->leaves;
}
std::span<const NodeId> Taxonomy::internal_nodes() const {
  return body_->internal;
}

NodeId Taxonomy::input_position(NodeId node) const {
  return body_->input_position[static_cast<std::size_t>(node)];
}
int Taxonomy::depth(NodeId node) const {
  return body_->depth[static_cast<std::size_t>(node)];
}
int Taxonomy::shortest_depth(NodeId node) const {
  return body_->shortest_depth[static_cast<std::size_t>(node)];
}
int Taxonomy::longest_path() const {
  return body_->longest_path;
}

std::vector<NodeId> Taxonomy::ancestors(NodeId node) const {
  std::vector<NodeId> result;
  if (is_tree()) {
    for (NodeId at = node; at != root();) result.push_back(at = parents(at)[0]);
    return result;
  }
  // Parents have smaller ids. Taking the largest id first reaches every node after all its descendants, and the copies
  // of a node that is reached twice come one after the other.
  std::priority_queue<NodeId> open;
  for (const NodeId parent : parents(node)) open.push(parent);
  while (!open.empty()) {
    const NodeId at = open.top();
    open.pop();
    if (!result.empty() && result.back() == at) continue;
    result.push_back(at);
    for (const NodeId parent : parents(at)) open.push(parent);
  }
  return result;
}

std::vector<NodeId> Taxonomy::descendants(NodeId node) const {
  std::vector<NodeId> result;
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> open;
  for (const NodeId child : children(node)) open.push(child);
  while (!open.empty()) {
    const NodeId at = open.top();
    open.pop();
    if (!result.empty() && result.back() == at) continue;
    result.push_back(at);
    for (const NodeId child : children(at)) open.push(child);
  }
  return result;
}

std::vector<NodeId> Taxonomy::leaves_below(NodeId node) const {
  if (is_leaf(node)) return {node};
  std::vector<NodeId> result = descendants(node);
  std::erase_if(result, [this](NodeId at) { return !is_leaf(at); });
  return result;
}

std::vector<NodeId> Taxonomy::siblings(NodeId node) const {
  std::vector<NodeId> result;
  for (const NodeId parent : parents(node)) {
    const auto nearby = children(parent);
    result.insert(result.end(), nearby.begin(), nearby.end());
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  std::erase(result, node);
  return result;
}

bool Taxonomy::is_ancestor(NodeId above, NodeId below) const {
  if (above >= below) return false;
  if (is_tree()) return body_->tree_index.is_ancestor(above, below);
  // As in ancestors(), but nothing smaller than `above` can lead to it.
  std::priority_queue<NodeId> open;
  for (const NodeId parent : parents(below)) open.push(parent);
  while (!open.empty() && open.top() >= above) {
    const NodeId at = open.top();
    if (at == above) return true;
    while (!open.empty() && open.top() == at) open.pop();
    for (const NodeId parent : parents(at)) open.push(parent);
  }
  return false;
}

NodeId Taxonomy::lowest_common_ancestor(NodeId a, NodeId b) const {
  CLADE_CHECK(is_tree());
  return body_->tree_index.lowest_common_ancestor(a, b);
}

std::vector<NodeId> Taxonomy::lowest_common_ancestors(NodeId a, NodeId b) const {
  if (is_tree()) return {lowest_common_ancestor(a, b)};
  std::vector<NodeId> above_a = ancestors(a);  // descending
  std::vector<NodeId> above_b = ancestors(b);
  above_a.insert(above_a.begin(), a);
  above_b.insert(above_b.begin(), b);
  std::vector<NodeId> common;
  std::set_intersection(above_a.begin(), above_a.end(), above_b.begin(), above_b.end(), std::back_inserter(common),
                        std::greater<>());
  // A common ancestor is not lowest if it is an ancestor of another. Then it is a parent of some common ancestor,
  // because everything above a common ancestor is common too.
  std::vector<NodeId> covered;
  for (const NodeId node : common) {
    const auto above = parents(node);
    covered.insert(covered.end(), above.begin(), above.end());
  }
  std::sort(covered.begin(), covered.end());
  std::reverse(common.begin(), common.end());
  std::vector<NodeId> lowest;
  std::set_difference(common.begin(), common.end(), covered.begin(), covered.end(), std::back_inserter(lowest));
  return lowest;
}

bool Taxonomy::is_miscellaneous(NodeId node) const {
  return node >= body_->first_miscellaneous;
}

NodeId Taxonomy::miscellaneous_leaf(NodeId node) const {
  const auto below = children(node);
  return !below.empty() && is_miscellaneous(below.back()) ? below.back() : kNoNode;
}

bool operator==(const Taxonomy& a, const Taxonomy& b) {
  if (a.body_ == b.body_) return true;
  return a.body_->names == b.body_->names && a.body_->virtual_root == b.body_->virtual_root &&
         a.body_->child_offset == b.body_->child_offset && a.body_->child_list == b.body_->child_list &&
         a.body_->first_miscellaneous == b.body_->first_miscellaneous;
}

Taxonomy Taxonomy::with_miscellaneous_leaves(std::span<const NodeId> labelled) const {
  std::vector<NodeId> parents_of_new(labelled.begin(), labelled.end());
  std::sort(parents_of_new.begin(), parents_of_new.end());
  parents_of_new.erase(std::unique(parents_of_new.begin(), parents_of_new.end()), parents_of_new.end());
  std::erase_if(parents_of_new, [this](NodeId node) { return is_leaf(node) || miscellaneous_leaf(node) != kNoNode; });
  if (parents_of_new.empty()) return *this;

  TaxonomyShape shape;
  shape.names = body_->names;
  shape.input_position = body_->input_position;
  shape.virtual_root = body_->virtual_root;
  shape.first_miscellaneous = std::min(body_->first_miscellaneous, size());
  for (NodeId node = 0; node < size(); ++node) {
    for (const NodeId child : children(node)) shape.edges.emplace_back(node, child);
  }
  for (const NodeId node : parents_of_new) {
    std::string leaf_name = name(node) + " (miscellaneous)";
    while (find(leaf_name)) leaf_name += "'";
    const auto leaf = static_cast<NodeId>(shape.names.size());
    shape.input_position.push_back(leaf);
    shape.names.push_back(std::move(leaf_name));
    shape.edges.emplace_back(node, leaf);
  }
  return Taxonomy(Body::make(std::move(shape)));
}

Taxonomy flat_taxonomy(std::span<const std::string> class_names) {
  TaxonomyBuilder builder;
  builder.imply_root();
  for (const auto& name : class_names) builder.node(name);
  return builder.build();
}

}  // namespace clade
