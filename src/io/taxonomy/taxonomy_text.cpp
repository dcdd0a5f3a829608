#include "io/taxonomy/taxonomy_text.h"

#include "io/lines.h"

namespace clade {
namespace {

bool comes_back_by_itself(const Taxonomy& taxonomy) {
  if (!taxonomy.has_virtual_root()) return false;
  const auto children = taxonomy.children(taxonomy.root());
  return std::ranges::count_if(children, [&](NodeId child) { return !taxonomy.is_miscellaneous(child); }) >= 2;
}

void check_name(const std::string& name) {
  if (name.empty()) throw usage_error("a node without a name", "expected a name for every node of a taxonomy file");
  if (first_invalid_utf8(name) != std::string_view::npos) {
    throw usage_error("the name " + quoted_name(name) + " is not UTF-8", "expected UTF-8 names for a taxonomy file");
  }
}

}  // namespace

StatedNodes::StatedNodes(const Taxonomy& taxonomy, Root root)
    : taxonomy_(taxonomy), rank_(static_cast<std::size_t>(taxonomy.size()), kNoNode) {
  const bool leave_out_root = root == Root::kImplied ? taxonomy.has_virtual_root() : comes_back_by_itself(taxonomy);
  if (taxonomy.has_virtual_root() && !leave_out_root && taxonomy.name(0) != Taxonomy::kVirtualRootName) {
    throw usage_error("a taxonomy file cannot hold this virtual root",
                      "a node has its name, " + quoted_name(Taxonomy::kVirtualRootName));
  }
  order_.reserve(rank_.size());
  for (NodeId node = leave_out_root ? 1 : 0; node < taxonomy.size(); ++node) {
    if (taxonomy.is_miscellaneous(node)) continue;
    check_name(taxonomy.name(node));
    order_.push_back(node);
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

void require_nodes(const TaxonomyBuilder& builder, const Utf8Text& text, std::string_view expected) {
  if (builder.size() == 0) throw input_error({.file = text.file_name()}, "no node in this file", expected);
}

bool fits_on_a_line(std::string_view name) {
  return !name.empty() && name.find('\n') == std::string_view::npos && trim(name).size() == name.size() &&
         !name.starts_with(kByteOrderMark);
}

}  // namespace clade
