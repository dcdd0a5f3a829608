#include <clade/error.h>
#include <clade/taxonomy.h>
#include <gtest/gtest.h>

#include <map>

#include "taxonomy/random_taxonomies.h"

namespace clade {
namespace {

TEST(RandomTaxonomy, KeepsNodesLevelsAndLeavesAndGivesEveryInnerNodeAChild) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const Taxonomy like = random_taxonomy(static_cast<NodeId>(1 + seed % 60), false, seed);
    const Taxonomy random = random_taxonomy_like(like, seed);
    ASSERT_TRUE(random.is_tree());
    ASSERT_EQ(random.size(), like.size());
    for (NodeId node = 0; node < like.size(); ++node) {
      const auto found = random.find(like.name(node));
      ASSERT_TRUE(found);
      EXPECT_EQ(random.depth(*found), like.depth(node));
      EXPECT_EQ(random.is_leaf(*found), like.is_leaf(node));
    }
  }
}

TEST(RandomTaxonomy, OfADagIsATreeWithItsLevelsOrIsRefused) {
  int made = 0;
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Taxonomy like = random_taxonomy(static_cast<NodeId>(3 + seed % 30), true, seed);
    std::map<int, NodeId> inner;
    std::map<int, NodeId> all;
    for (NodeId node = 0; node < like.size(); ++node) {
      ++all[like.depth(node)];
      inner[like.depth(node)] += like.is_leaf(node) ? 0 : 1;
    }
    bool is_possible = true;
    for (const auto& [level, count] : inner) is_possible = is_possible && count <= all[level + 1];
    if (!is_possible) {
      EXPECT_THROW(random_taxonomy_like(like, 1), Error);
      ++refused;
      continue;
    }
    ++made;
    const Taxonomy random = random_taxonomy_like(like, seed);
    EXPECT_TRUE(random.is_tree());
    for (NodeId node = 0; node < like.size(); ++node) {
      const NodeId found = *random.find(like.name(node));
      EXPECT_EQ(random.depth(found), like.depth(node));
      EXPECT_EQ(random.is_leaf(found), like.is_leaf(node));
    }
  }
  EXPECT_GT(made, 10);
  EXPECT_GT(refused, 10);
}

TEST(RandomTaxonomy, TheSeedDecides) {
  const Taxonomy like = random_taxonomy(60, false, 3);
  EXPECT_EQ(random_taxonomy_like(like, 5), random_taxonomy_like(like, 5));
  EXPECT_FALSE(random_taxonomy_like(like, 5) == random_taxonomy_like(like, 6));
}

TEST(RandomTaxonomy, EveryParentIsAboutEquallyLikely) {
  TaxonomyBuilder builder;
  for (const char* group : {"a", "b", "c"}) {
    builder.edge("root", group);
    for (int k = 0; k < 20; ++k) builder.edge(group, group + std::to_string(k));
  }
  const Taxonomy like = builder.build();
  std::map<std::string, int> count;
  constexpr int kRepeats = 3000;
  for (std::uint64_t seed = 0; seed < kRepeats; ++seed) {
    const Taxonomy random = random_taxonomy_like(like, seed);
    ++count[random.name(random.parents(*random.find("a7"))[0])];
  }
  // Five standard deviations of a third.
  for (const char* group : {"a", "b", "c"}) EXPECT_NEAR(count[group], kRepeats / 3.0, 130) << group;
}

TEST(RandomTaxonomy, AVirtualRootStaysOne) {
  const std::vector<std::string> names{"x", "y", "z"};
  const Taxonomy random = random_taxonomy_like(flat_taxonomy(names), 1);
  EXPECT_TRUE(random.has_virtual_root());
  EXPECT_EQ(random, flat_taxonomy(names));
}

}  // namespace
}  // namespace clade
