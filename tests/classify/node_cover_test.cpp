#include "classify/node_cover.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/random.h"
#include "taxonomy/random_taxonomies.h"

namespace clade {
namespace {

// Random labels of random trees and DAGs: visit(space, labels).
template <class Visit>
void for_each_label_set(const Visit& visit) {
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    const Taxonomy taxonomy = random_taxonomy(static_cast<NodeId>(1 + seed % 30), seed % 3 == 0, seed);
    RandomStream random(seed, {kTestStream, 51});
    std::vector<NodeId> labels;
    for (NodeId v = 0; v < taxonomy.size(); ++v) {
      if (random.uniform() < 0.2) labels.push_back(v);
    }
    if (labels.empty()) labels.push_back(taxonomy.size() - 1);
    visit(AnswerSpace(taxonomy, taxonomy.size(), false), labels);
  }
}

TEST(NodeCover, CoversAllLabelsWithFewNodesNoneBelowAnother) {
  for_each_label_set([](const AnswerSpace& space, const std::vector<NodeId>& labels) {
    for (Index most = 1; most <= 10; ++most) {
      const std::vector<NodeId> nodes = node_cover(space, labels, most);
      EXPECT_GE(nodes.size(), 1);
      EXPECT_LE(std::ssize(nodes), most);
      for (const NodeId label : labels) EXPECT_TRUE(covers(space.taxonomy, nodes, label));
      for (const NodeId a : nodes) {
        for (const NodeId b : nodes) EXPECT_FALSE(space.taxonomy.is_ancestor(a, b));
      }
    }
  });
}

TEST(NodeCover, OneNodeOfATreeIsTheLowestCommonAncestor) {
  for_each_label_set([](const AnswerSpace& space, const std::vector<NodeId>& labels) {
    if (!space.taxonomy.is_tree()) return;
    NodeId lowest = labels[0];
    for (const NodeId label : labels) lowest = space.taxonomy.lowest_common_ancestor(lowest, label);
    EXPECT_EQ(node_cover(space, labels, 1), std::vector<NodeId>{lowest});
  });
}

TEST(NodeCover, WithRoomForAllItIsTheHighestLabelsOfATree) {
  for_each_label_set([](const AnswerSpace& space, const std::vector<NodeId>& labels) {
    if (!space.taxonomy.is_tree()) return;
    std::vector<NodeId> highest;
    for (const NodeId label : labels) {
      const auto is_above = [&](NodeId other) { return space.taxonomy.is_ancestor(other, label); };
      if (std::ranges::none_of(labels, is_above)) highest.push_back(label);
    }
    std::vector<NodeId> nodes = node_cover(space, labels, 30);
    std::ranges::sort(nodes);
    EXPECT_EQ(nodes, highest);
  });
}

}  // namespace
}  // namespace clade
