#pragma once

#include <clade/context.h>
#include <clade/taxonomy.h>

#include <cstdint>
#include <span>
#include <vector>

namespace clade {

// An ancestor, the number of edges on the shortest path up to it, and its depth.
struct Ancestor {
  NodeId node;
  std::int32_t steps;
  std::int32_t level;
};

// The ancestors of some nodes, in ascending id order; each node is its own ancestor, so the root comes first and the
// node itself last. Memory: 12 bytes per entry. Keeps a handle to the taxonomy.
class AncestorTable {
 public:
  // `nodes` may repeat and come in any order.
  AncestorTable(const Taxonomy& taxonomy, std::span<const NodeId> nodes, Context& ctx);

  // The node must be one of those given.
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

// Puts the union of the nodes' ancestor sets into `result`, ascending.
void join_ancestors(const AncestorTable& table, std::span<const NodeId> nodes, std::vector<NodeId>& result);

}  // namespace clade
