#pragma once

#include <clade/context.h>
#include <clade/taxonomy.h>

#include <cstdint>
#include <span>
#include <vector>

namespace clade {

// An ancestor, the edges on the shortest way up to it, and its depth.
struct Ancestor {
  NodeId node;
  std::int32_t steps;
  std::int32_t level;
};

// The ancestors of some nodes, each node counted as its own, in ascending id order: the root comes first, the
// node itself last. Memory: 12 bytes per entry. Keeps its own copy of the taxonomy's handle.
class AncestorTable {
 public:
  // `nodes` may repeat and come in any order.
  AncestorTable(const Taxonomy& taxonomy, std::span<const NodeId> nodes, Context& ctx);

  // Requires a node that was given.
  std::span<const Ancestor> of(NodeId node) const {
    const auto slot = static_cast<std::size_t>(slot_[static_cast<std::size_t>(node)]);
    return {entries_.data() + offsets_[slot], static_cast<std::size_t>(offsets_[slot + 1] - offsets_[slot])};
  }
  const Taxonomy& taxonomy() const { return taxonomy_; }

 private:
  Taxonomy taxonomy_;
  std::vector<NodeId> slot_;  // of each node of the taxonomy; kNoNode: not given
  std::vector<Index> offsets_;
  std::vector<Ancestor> entries_;
};

// The union of the nodes' ancestor sets, ascending, in `result`.
void join_ancestors(const AncestorTable& table, std::span<const NodeId> nodes, std::vector<NodeId>& result);

}  // namespace clade
