#include "experiment/diagnose/edit_taxonomy.h"

#include <algorithm>

#include "core/check.h"

namespace clade {
namespace {

// A taxonomy whose nodes come and go; they keep the numbers of the original.
class EditableTaxonomy {
 public:
  EditableTaxonomy(const Taxonomy& taxonomy, std::span<const NodeId> labelled)
      : taxonomy_(taxonomy), parents_(static_cast<std::size_t>(taxonomy.size())), gone_(parents_.size(), false) {
    for (NodeId node = 0; node < taxonomy.size(); ++node) {
      parents_[at(node)].assign(taxonomy.parents(node).begin(), taxonomy.parents(node).end());
    }
    is_labelled_.assign(parents_.size(), false);
    for (const NodeId node : labelled) is_labelled_[at(node)] = true;
  }

  void apply(const TaxonomyEdit& edit) {
    const auto node = taxonomy_.find(edit.node);
    CLADE_CHECK(node.has_value());
    if (edit.kind != TaxonomyEdit::Kind::kMove) return remove(*node);
    auto to = taxonomy_.find(edit.to);
    CLADE_CHECK(to.has_value());
    while (gone_[at(*to)]) to = parents_[at(*to)][0];  // an edit before may have emptied it
    const std::vector<NodeId> before = std::exchange(parents_[at(*node)], {*to});
    for (const NodeId parent : before) tidy(parent);
  }

  Taxonomy build() const {
    TaxonomyBuilder builder;
    const bool has_root = !taxonomy_.has_virtual_root();
    if (!has_root) builder.imply_root();
    const auto is_shown = [&](NodeId node) { return !gone_[at(node)] && (has_root || node != taxonomy_.root()); };
    for (NodeId node = 0; node < taxonomy_.size(); ++node) {
      if (is_shown(node)) builder.node(taxonomy_.name(node));
    }
    for (NodeId node = 0; node < taxonomy_.size(); ++node) {
      for (const NodeId parent : parents_[at(node)]) {
        if (is_shown(node) && is_shown(parent)) builder.edge(taxonomy_.name(parent), taxonomy_.name(node));
      }
    }
    return builder.build();
  }

 private:
  static std::size_t at(NodeId node) { return static_cast<std::size_t>(node); }

  Index children(NodeId parent) const {
    Index count = 0;
    for (std::size_t node = 0; node < parents_.size(); ++node) {
      count += !gone_[node] && std::ranges::find(parents_[node], parent) != parents_[node].end() ? 1 : 0;
    }
    return count;
  }

  void remove(NodeId node) {
    gone_[at(node)] = true;
    for (std::vector<NodeId>& parents : parents_) {
      const auto place = std::ranges::find(parents, node);
      if (place == parents.end()) continue;
      parents.erase(place);
      for (const NodeId above : parents_[at(node)]) {
        if (std::ranges::find(parents, above) == parents.end()) parents.push_back(above);
      }
    }
  }

  // After a child has left.
  void tidy(NodeId node) {
    if (node == taxonomy_.root() || gone_[at(node)] || is_labelled_[at(node)] || children(node) > 1) return;
    const std::vector<NodeId> above = parents_[at(node)];
    remove(node);
    for (const NodeId parent : above) {
      if (taxonomy_.children(parent).size() > 1) tidy(parent);
    }
  }

  const Taxonomy& taxonomy_;
  std::vector<std::vector<NodeId>> parents_;
  std::vector<bool> gone_;
  std::vector<bool> is_labelled_;
};

}  // namespace

Taxonomy edited_taxonomy(const Taxonomy& taxonomy, std::span<const TaxonomyEdit> edits,
                         std::span<const NodeId> labelled) {
  EditableTaxonomy editable(taxonomy, labelled);
  for (const TaxonomyEdit& edit : edits) editable.apply(edit);
  return editable.build();
}

std::vector<TaxonomyEdit> chains_of(const Taxonomy& taxonomy, std::span<const NodeId> labelled) {
  std::vector<TaxonomyEdit> edits;
  const auto is_labelled = [&](NodeId node) { return std::ranges::find(labelled, node) != labelled.end(); };
  for (const NodeId node : taxonomy.internal_nodes()) {
    if (taxonomy.children(node).size() != 1 || is_labelled(node)) continue;
    const NodeId child = taxonomy.children(node)[0];
    const NodeId gone = node == taxonomy.root() ? child : node;
    if (taxonomy.is_leaf(gone) || is_labelled(gone)) continue;
    TaxonomyEdit edit;
    edit.kind = TaxonomyEdit::Kind::kCollapse;
    edit.node = taxonomy.name(gone);
    edit.from = taxonomy.name(taxonomy.parents(gone)[0]);
    const bool is_known = std::ranges::find(edits, edit.node, &TaxonomyEdit::node) != edits.end();
    if (!is_known) edits.push_back(std::move(edit));
  }
  return edits;
}

Taxonomy subtree(const Taxonomy& taxonomy, NodeId node) {
  TaxonomyBuilder builder;
  builder.node(taxonomy.name(node));
  const std::vector<NodeId> below = taxonomy.descendants(node);
  for (const NodeId child : below) {
    for (const NodeId parent : taxonomy.parents(child)) {
      if (parent == node || std::ranges::binary_search(below, parent)) {
        builder.edge(taxonomy.name(parent), taxonomy.name(child));
      }
    }
  }
  return builder.build();
}

}  // namespace clade
