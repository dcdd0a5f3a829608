#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "taxonomy/brute_force.h"

namespace clade::testing {
namespace {

std::string error_of(TaxonomyBuilder& builder) {
  try {
    builder.build();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInput);
    return error.what();
  }
  ADD_FAILURE() << "built";
  return {};
}

TEST(TaxonomyBuilder, NumbersNodesInTheOrderOfFirstMention) {
  TaxonomyBuilder builder;
  EXPECT_EQ(builder.node("b"), 0);
  EXPECT_EQ(builder.node("a"), 1);
  EXPECT_EQ(builder.node("b"), 0);
  builder.edge("c", "d");
  EXPECT_EQ(builder.find("c"), NodeId{2});
  EXPECT_EQ(builder.find("d"), NodeId{3});
  EXPECT_EQ(builder.find("e"), std::nullopt);
  EXPECT_EQ(builder.size(), 4);
  EXPECT_EQ(builder.name(1), "a");
}

TEST(TaxonomyBuilder, PathsAddWhatIsMissing) {
  TaxonomyBuilder builder("f");
  EXPECT_EQ(builder.path("a/b/c", "/", 1), 2);
  EXPECT_EQ(builder.path("a/b/c", "/", 2), 2);
  EXPECT_EQ(builder.path("a/b", "/", 3), 1);
  EXPECT_EQ(builder.path("a/d", "/", 4), 3);
  EXPECT_EQ(builder.path("e", "/", 5), 4);
  EXPECT_EQ(builder.path("x--y---z", "--", 6), 7);
  const Taxonomy taxonomy = builder.build();
  EXPECT_EQ(taxonomy.size(), 1 + 8);
  EXPECT_EQ(taxonomy.edges(), 8);
  EXPECT_EQ(taxonomy.name(taxonomy.parents(*taxonomy.find("a/b/c"))[0]), "a/b");
  EXPECT_EQ(taxonomy.name(taxonomy.parents(*taxonomy.find("x--y---z"))[0]), "x--y");
  EXPECT_EQ(taxonomy.name(taxonomy.parents(*taxonomy.find("x--y"))[0]), "x");
}

TEST(TaxonomyBuilder, AnImpliedRootStandsAboveASingleOne) {
  TaxonomyBuilder builder;
  builder.imply_root();
  builder.edge("a", "b");
  const Taxonomy taxonomy = builder.build();
  EXPECT_TRUE(taxonomy.has_virtual_root());
  EXPECT_EQ(taxonomy.size(), 3);
  EXPECT_EQ(taxonomy.name(0), "(root)");
  EXPECT_EQ(taxonomy.depth(*taxonomy.find("b")), 2);
}

TEST(TaxonomyBuilder, ASoleRootWithTheNameOfTheVirtualRootIsOne) {
  TaxonomyBuilder builder;
  builder.edge("(root)", "a");
  builder.edge("(root)", "b");
  const Taxonomy taxonomy = builder.build();
  EXPECT_TRUE(taxonomy.has_virtual_root());
  EXPECT_EQ(taxonomy.size(), 3);
  EXPECT_EQ(taxonomy.input_position(0), 2);
  EXPECT_EQ(taxonomy.input_position(1), 0);
  EXPECT_EQ(taxonomy.input_position(2), 1);
  const std::vector<std::string> names = {"a", "b"};
  EXPECT_TRUE(taxonomy == flat_taxonomy(names));
}

TEST(TaxonomyBuilder, TheVirtualRootFindsAFreeName) {
  TaxonomyBuilder builder;
  builder.edge("(root)", "a");
  builder.edge("(root)'", "a");
  const Taxonomy taxonomy = builder.build();
  EXPECT_EQ(taxonomy.name(0), "(root)''");
  EXPECT_EQ(taxonomy.size(), 4);
}

TEST(TaxonomyBuilder, FlatTaxonomies) {
  const std::vector<std::string> names = {"z", "a", "m"};
  const Taxonomy flat = flat_taxonomy(names);
  EXPECT_EQ(flat.size(), 4);
  EXPECT_EQ(flat.levels(), 2);
  for (NodeId k = 0; k < 3; ++k) EXPECT_EQ(flat.name(k + 1), names[static_cast<std::size_t>(k)]);
  EXPECT_EQ(flat_taxonomy({}).size(), 1);
  EXPECT_TRUE(flat_taxonomy({}).is_leaf(0));
}

TEST(TaxonomyBuilder, RefusesNothingSelfParentsAndRepeatedEdges) {
  TaxonomyBuilder empty("f");
  EXPECT_EQ(error_of(empty), "f: no node in the hierarchy; expected at least one");
  TaxonomyBuilder self("f");
  self.edge("a", "b", 1);
  self.edge("b", "b", 2);
  EXPECT_EQ(error_of(self), "f:2: node 'b' is its own parent; expected a hierarchy without loops");
  TaxonomyBuilder twice("f");
  twice.edge("a", "b", 1);
  twice.edge("a", "c", 2);
  twice.edge("a", "c", 3);
  twice.edge("a", "b", 4);
  EXPECT_EQ(error_of(twice), "f:3: edge from 'a' to 'c' is given twice; expected each edge once");
}

TEST(TaxonomyBuilder, MergesRepeatedEdgesWhereAsked) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    RandomStream random(seed, {kTestStream, 5});
    const Hierarchy hierarchy = random_hierarchy(random, {.most_parents = 3, .root_share = 0.1});
    Hierarchy repeated = hierarchy;
    for (Index k = random.below(20); k > 0 && !hierarchy.edges.empty(); --k) {
      const auto at = static_cast<std::size_t>(random.below(std::ssize(hierarchy.edges)));
      repeated.edges.push_back(hierarchy.edges[at]);
    }
    TaxonomyBuilder builder;
    builder.merge_repeated_edges(true);
    for (const auto& name : repeated.mentions) builder.node(name);
    for (const auto& [parent, child] : repeated.edges) {
      builder.edge(static_cast<NodeId>(parent), static_cast<NodeId>(child));
    }
    EXPECT_TRUE(builder.build() == build(hierarchy)) << seed;
    EXPECT_EQ(builder.merged_edges(), std::ssize(repeated.edges) - std::ssize(hierarchy.edges)) << seed;
  }
}

// A message names the nodes of a cycle in order, the first again at the end: each step must be an edge of the input.
TEST(TaxonomyBuilder, CycleMessagesNameTheNodesOfACycle) {
  int cycles = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    RandomStream random(seed, {kTestStream, 6});
    Hierarchy hierarchy = random_hierarchy(random, {.most_nodes = 12, .most_parents = 2, .chain_share = 0.5});
    const Taxonomy taxonomy = build(hierarchy);
    const auto below = static_cast<NodeId>(random.below(taxonomy.size()));
    const std::vector<NodeId> above = taxonomy.ancestors(below);
    if (above.empty()) continue;
    const NodeId top = above[static_cast<std::size_t>(random.below(std::ssize(above)))];
    hierarchy.edges.emplace_back(taxonomy.input_position(below), taxonomy.input_position(top));
    TaxonomyBuilder builder("f");
    for (const auto& name : hierarchy.mentions) builder.node(name);
    std::vector<std::pair<std::string, std::string>> edges;
    for (std::size_t k = 0; k < hierarchy.edges.size(); ++k) {
      const auto& [parent, child] = hierarchy.edges[k];
      edges.emplace_back(hierarchy.mentions[parent], hierarchy.mentions[child]);
      builder.edge(edges.back().first, edges.back().second, static_cast<Index>(k) + 1);
    }
    const std::string message = error_of(builder);
    const std::regex quoted("'([^']*)'");
    std::vector<std::string> named;
    for (std::sregex_iterator at(message.begin(), message.end(), quoted); at != std::sregex_iterator(); ++at) {
      named.push_back((*at)[1]);
    }
    ASSERT_GE(named.size(), 3U) << message;
    if (message.find("...") == std::string::npos) {
      EXPECT_EQ(named.front(), named.back()) << message;
    }
    for (std::size_t k = 0; k + 1 < named.size(); ++k) {
      EXPECT_NE(std::ranges::find(edges, std::pair(named[k], named[k + 1])), edges.end()) << message;
    }
    // The line is that of an edge of the cycle.
    const auto line = static_cast<std::size_t>(std::stoi(message.substr(2)));
    EXPECT_NE(std::ranges::find(named, edges[line - 1].second), named.end()) << message;
    EXPECT_NE(std::ranges::find(named, edges[line - 1].first), named.end()) << message;
    ++cycles;
  }
  EXPECT_GT(cycles, 1000);
}

TEST(TaxonomyBuilder, LongCyclesAreCutInTheMessage) {
  TaxonomyBuilder builder;
  for (int k = 0; k < 100'000; ++k) builder.edge("n" + std::to_string(k), "n" + std::to_string((k + 1) % 100'000));
  const std::string message = error_of(builder);
  EXPECT_LT(message.size(), 300U);
  EXPECT_NE(message.find("(100000 nodes)"), std::string::npos) << message;
}

TEST(TaxonomyBuilder, NodesBelowACycleAreNotBlamed) {
  TaxonomyBuilder builder;
  builder.edge("a", "b");
  builder.edge("b", "a");
  builder.edge("b", "below");
  builder.edge("below", "deeper");
  const std::string message = error_of(builder);
  EXPECT_EQ(message.find("'below'"), std::string::npos) << message;
  EXPECT_EQ(message.find("deeper"), std::string::npos) << message;
}

}  // namespace
}  // namespace clade::testing
