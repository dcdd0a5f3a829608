#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "clade/taxonomy.h"
#include "core/random.h"

// Small random hierarchies, and every query answered straight from its definition, on sets of nodes as bits of a word.
namespace clade::testing {

struct Hierarchy {
  std::vector<std::string> mentions;                       // names in the order in which the input states them
  std::vector<std::pair<std::size_t, std::size_t>> edges;  // parent, child: indices of `mentions`
};

struct HierarchyShape {
  int most_nodes = 40;
  int most_parents = 1;
  double root_share = 0;   // chance that a node is a further root
  double chain_share = 0;  // chance that a node hangs below the one made before it
};

inline Hierarchy random_hierarchy(RandomStream& random, const HierarchyShape& shape) {
  const Index nodes = 1 + random.below(shape.most_nodes);
  std::vector<std::size_t> place(static_cast<std::size_t>(nodes));  // so that parents need not be mentioned first
  for (std::size_t k = 0; k < place.size(); ++k) place[k] = k;
  random.shuffle(std::span<std::size_t>(place));
  Hierarchy hierarchy;
  for (std::size_t k = 0; k < place.size(); ++k) hierarchy.mentions.push_back("node" + std::to_string(k));
  for (std::size_t child = 1; child < place.size(); ++child) {
    if (random.uniform() < shape.root_share) continue;
    std::uint64_t chosen = 0;
    const Index parents = 1 + random.below(shape.most_parents);
    for (Index k = 0; k < parents; ++k) {
      const bool chain = random.uniform() < shape.chain_share;
      chosen |= 1ULL << (chain ? child - 1 : static_cast<std::size_t>(random.below(static_cast<Index>(child))));
    }
    for (std::size_t parent = 0; parent < child; ++parent) {
      if ((chosen >> parent & 1U) != 0) hierarchy.edges.emplace_back(place[parent], place[child]);
    }
  }
  random.shuffle(std::span<std::pair<std::size_t, std::size_t>>(hierarchy.edges));
  return hierarchy;
}

inline Taxonomy build(const Hierarchy& hierarchy) {
  TaxonomyBuilder builder;
  for (const auto& name : hierarchy.mentions) builder.node(name);
  for (const auto& [parent, child] : hierarchy.edges) {
    builder.edge(static_cast<NodeId>(parent), static_cast<NodeId>(child));
  }
  return builder.build();
}

// A hierarchy over the ids of a taxonomy built from it, as sets of bits: at most 64 nodes. Edges are looked up by name,
// not taken from the taxonomy.
class BruteForce {
 public:
  using Set = std::uint64_t;

  BruteForce(const Hierarchy& hierarchy, const Taxonomy& taxonomy) : nodes_(static_cast<std::size_t>(taxonomy.size())) {
    parents_.assign(nodes_, 0);
    for (const auto& [parent, child] : hierarchy.edges) {
      const auto p = static_cast<std::size_t>(*taxonomy.find(hierarchy.mentions[parent]));
      const auto c = static_cast<std::size_t>(*taxonomy.find(hierarchy.mentions[child]));
      parents_[c] |= bit(p);
    }
    if (taxonomy.has_virtual_root()) {
      for (std::size_t v = 1; v < nodes_; ++v) {
        if (parents_[v] == 0) parents_[v] = bit(0);
      }
    }
    // Everything above a node: grown until nothing is added any more.
    above_ = parents_;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t v = 0; v < nodes_; ++v) {
        Set grown = above_[v];
        for (std::size_t u = 0; u < nodes_; ++u) {
          if ((above_[v] & bit(u)) != 0) grown |= above_[u];
        }
        changed = changed || grown != above_[v];
        above_[v] = grown;
      }
    }
  }

  static Set bit(std::size_t node) { return 1ULL << node; }
  static std::vector<NodeId> ascending(Set set) {
    std::vector<NodeId> nodes;
    for (; set != 0; set &= set - 1) nodes.push_back(static_cast<NodeId>(std::countr_zero(set)));
    return nodes;
  }

  Set parents(std::size_t v) const { return parents_[v]; }
  Set above(std::size_t v) const { return above_[v]; }
  Set children(std::size_t v) const { return below_by(parents_, v); }
  Set below(std::size_t v) const { return below_by(above_, v); }
  bool is_leaf(std::size_t v) const { return children(v) == 0; }

  Set leaves_below(std::size_t v) const {
    Set result = 0;
    for (const NodeId u : ascending(below(v) | bit(v))) {
      if (is_leaf(static_cast<std::size_t>(u))) result |= bit(static_cast<std::size_t>(u));
    }
    return result;
  }

  Set siblings(std::size_t v) const {
    Set result = 0;
    for (std::size_t u = 0; u < nodes_; ++u) {
      if (u != v && (parents_[u] & parents_[v]) != 0) result |= bit(u);
    }
    return result;
  }

  // Edges on the ways from the root: all lengths that occur, by the number of edges.
  Set path_lengths(std::size_t v) const {
    if (parents_[v] == 0) return 1;
    Set lengths = 0;
    for (const NodeId parent : ascending(parents_[v]))
      lengths |= path_lengths_cached(static_cast<std::size_t>(parent)) << 1U;
    return lengths;
  }

  Set lowest_common_ancestors(std::size_t a, std::size_t b) const {
    const Set common = (above_[a] | bit(a)) & (above_[b] | bit(b));
    Set above_common = 0;
    for (const NodeId c : ascending(common)) above_common |= above_[static_cast<std::size_t>(c)];
    return common & ~above_common;
  }

 private:
  Set below_by(const std::vector<Set>& up, std::size_t v) const {
    Set result = 0;
    for (std::size_t u = 0; u < nodes_; ++u) {
      if ((up[u] & bit(v)) != 0) result |= bit(u);
    }
    return result;
  }

  Set path_lengths_cached(std::size_t v) const {
    if (lengths_.empty()) lengths_.assign(nodes_, 0);
    if (lengths_[v] == 0) lengths_[v] = path_lengths(v);
    return lengths_[v];
  }

  std::size_t nodes_;
  std::vector<Set> parents_;
  std::vector<Set> above_;
  mutable std::vector<Set> lengths_;
};

}  // namespace clade::testing
