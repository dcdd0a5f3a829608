#include "core/random.h"

#include <clade/error.h>
#include <clade/taxonomy.h>

#include <span>
#include <vector>

namespace clade {
namespace {

struct Levels {
  std::vector<std::vector<NodeId>> nodes;  // per level, ascending
  std::vector<std::vector<NodeId>> inner;
};

Levels levels_of(const Taxonomy& taxonomy) {
  const auto count = static_cast<std::size_t>(taxonomy.levels());
  Levels levels{std::vector<std::vector<NodeId>>(count), std::vector<std::vector<NodeId>>(count)};
  for (NodeId node = 0; node < taxonomy.size(); ++node) {
    const auto level = static_cast<std::size_t>(taxonomy.depth(node));
    levels.nodes[level].push_back(node);
    if (!taxonomy.is_leaf(node)) levels.inner[level].push_back(node);
  }
  return levels;
}

void require_enough_children(const Levels& levels) {
  for (std::size_t level = 0; level + 1 < levels.nodes.size(); ++level) {
    if (levels.inner[level].size() <= levels.nodes[level + 1].size()) continue;
    throw usage_error("level " + std::to_string(level) + " has " + std::to_string(levels.inner[level].size()) +
                          " inner nodes and only " + std::to_string(levels.nodes[level + 1].size()) + " below them",
                      "expected a tree, or a DAG in which every inner node can have a child at the next level");
  }
}

}  // namespace

Taxonomy random_taxonomy_like(const Taxonomy& like, std::uint64_t seed) {
  const Levels levels = levels_of(like);
  require_enough_children(levels);
  std::vector<NodeId> parent(static_cast<std::size_t>(like.size()), kNoNode);
  for (std::size_t level = 0; level + 1 < levels.nodes.size(); ++level) {
    RandomStream random(seed, {kTaxonomyStream, level});
    const std::vector<NodeId>& above = levels.inner[level];
    std::vector<NodeId> below = levels.nodes[level + 1];
    random.shuffle(std::span(below));
    for (std::size_t k = 0; k < below.size(); ++k) {
      const std::size_t chosen = k < above.size() ? k : static_cast<std::size_t>(random.below(std::ssize(above)));
      parent[static_cast<std::size_t>(below[k])] = above[chosen];
    }
  }
  TaxonomyBuilder builder;
  if (like.has_virtual_root()) builder.imply_root();
  const auto is_stated = [&](NodeId node) { return node != like.root() || !like.has_virtual_root(); };
  for (NodeId node = 0; node < like.size(); ++node) {
    if (is_stated(node)) builder.node(like.name(node));
  }
  for (NodeId node = 1; node < like.size(); ++node) {
    const NodeId above = parent[static_cast<std::size_t>(node)];
    if (is_stated(above)) builder.edge(like.name(above), like.name(node));
  }
  return builder.build();
}

}  // namespace clade
