#include "io/taxonomy_order.h"

namespace clade {
namespace {

bool comes_back_by_itself(const Taxonomy& taxonomy) {
  if (!taxonomy.has_virtual_root()) return false;
  const auto children = taxonomy.children(taxonomy.root());
  return std::ranges::count_if(children, [&](NodeId child) { return !taxonomy.is_miscellaneous(child); }) >= 2;
}

}  // namespace

StatedNodes::StatedNodes(const Taxonomy& taxonomy)
    : taxonomy_(taxonomy), rank_(static_cast<std::size_t>(taxonomy.size()), kNoNode) {
  const NodeId first = comes_back_by_itself(taxonomy) ? 1 : 0;
  order_.reserve(rank_.size());
  for (NodeId node = first; node < taxonomy.size(); ++node) {
    if (!taxonomy.is_miscellaneous(node)) order_.push_back(node);
  }
  std::ranges::sort(order_, {}, [&](NodeId node) { return taxonomy.input_position(node); });
  for (std::size_t k = 0; k < order_.size(); ++k) rank_[static_cast<std::size_t>(order_[k])] = static_cast<NodeId>(k);
}

bool StatedNodes::parents_first() const {
  return std::ranges::all_of(order_, [&](NodeId node) {
    return std::ranges::all_of(taxonomy_.parents(node), [&](NodeId parent) { return rank(parent) < rank(node); });
  });
}

NodeId StatedNodes::parent_before(NodeId node, NodeId rank) const {
  for (const NodeId parent : taxonomy_.parents(node)) {
    if (states(parent) && this->rank(parent) < rank) return parent;
  }
  return kNoNode;
}

}  // namespace clade
