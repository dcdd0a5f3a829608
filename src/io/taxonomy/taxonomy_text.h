#pragma once

#include <clade/io.h>
#include <clade/taxonomy.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/lines.h"
#include "io/utf8_text.h"

namespace clade {

// Throws Error if a reader found no node; `expected` says what such a file looks like.
void require_nodes(const TaxonomyBuilder& builder, const Utf8Text& text, std::string_view expected);

// Can a line-based format without quotes hold this name so that it reads back the same? It must not be empty, contain a
// line end, or have a blank or byte order mark at its ends.
bool fits_on_a_line(std::string_view name);

// What the writers of taxonomy files share: the nodes that a file states, in the order in which the input first named
// them. Omits miscellaneous leaves, which stand for their parent, and the virtual root, which comes back by itself
// because the file then has several roots. `taxonomy` must outlive this.
class StatedNodes {
 public:
  // A virtual root with fewer than two children would not come back by itself, so it is stated by name, unless the
  // format implies a root (kImplied).
  enum class Root { kStated, kImplied };

  // Throws Error if a name is empty or not UTF-8, which no taxonomy format can hold.
  explicit StatedNodes(const Taxonomy& taxonomy, Root root = Root::kStated);

  const Taxonomy& taxonomy() const { return taxonomy_; }
  std::span<const NodeId> in_input_order() const { return order_; }
  bool states(NodeId node) const { return rank_[static_cast<std::size_t>(node)] != kNoNode; }
  // The place of a stated node in in_input_order().
  NodeId rank(NodeId node) const { return rank_[static_cast<std::size_t>(node)]; }
  // Does every node come after all its parents in in_input_order()?
  bool parents_first() const;

  // Calls visit(other) for the stated parents or children of a node.
  template <class Visit>
  void for_each_parent(NodeId node, Visit&& visit) const {
    for (const NodeId parent : taxonomy_.parents(node)) {
      if (states(parent)) visit(parent);
    }
  }
  template <class Visit>
  void for_each_child(NodeId node, Visit&& visit) const {
    for (const NodeId child : taxonomy_.children(node)) {
      if (states(child)) visit(child);
    }
  }
  bool is_edge(NodeId parent, NodeId child) const {
    return states(parent) && states(child) &&
           std::ranges::find(taxonomy_.parents(child), parent) != taxonomy_.parents(child).end();
  }
  // A stated parent whose rank is below `rank`, or kNoNode.
  NodeId parent_before(NodeId node, NodeId rank) const;

 private:
  const Taxonomy& taxonomy_;
  std::vector<NodeId> order_;
  std::vector<NodeId> rank_;  // kNoNode: not stated
};

}  // namespace clade
