#pragma once

#include <clade/taxonomy.h>

#include <string>

#include "core/random.h"

namespace clade {

// A connected taxonomy of random edges; the first node is its root.
inline Taxonomy random_taxonomy(NodeId nodes, bool dag, std::uint64_t seed) {
  RandomStream random(seed, {kTestStream, 1});
  TaxonomyBuilder builder;
  for (NodeId k = 0; k < nodes; ++k) builder.node("n" + std::to_string(k));
  for (NodeId child = 1; child < nodes; ++child) {
    const auto parent = static_cast<NodeId>(random.below(child));
    builder.edge(parent, child);
    if (dag && child > 1 && random.uniform() < 0.4) {
      const auto second = static_cast<NodeId>(random.below(child));
      if (second != parent) builder.edge(second, child);
    }
  }
  return builder.build();
}

}  // namespace clade
