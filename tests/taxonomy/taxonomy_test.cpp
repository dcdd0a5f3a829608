#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "taxonomy/brute_force.h"

namespace clade::testing {
namespace {

using Set = BruteForce::Set;

std::vector<NodeId> as_vector(std::span<const NodeId> nodes) {
  return {nodes.begin(), nodes.end()};
}

// Trees, forests, chains, DAGs of few and of many parents.
constexpr HierarchyShape kShapes[] = {
    {},
    {.root_share = 0.15},
    {.chain_share = 0.9},
    {.most_parents = 2},
    {.most_parents = 3, .root_share = 0.1},
    {.most_parents = 2, .chain_share = 0.7},
    {.most_parents = 6, .root_share = 0.05},
    {.most_nodes = 5, .most_parents = 3, .root_share = 0.2},
};
constexpr std::uint64_t kCasesPerShape = 500;

// Runs check(hierarchy, taxonomy, brute force) over all shapes; stops at the first that fails.
template <class Check>
void for_random_cases(Check&& check) {
  for (std::size_t shape = 0; shape < std::size(kShapes); ++shape) {
    for (std::uint64_t seed = 0; seed < kCasesPerShape; ++seed) {
      RandomStream random(seed, {kTestStream, shape});
      const Hierarchy hierarchy = random_hierarchy(random, kShapes[shape]);
      const Taxonomy taxonomy = build(hierarchy);
      SCOPED_TRACE("shape " + std::to_string(shape) + ", seed " + std::to_string(seed));
      check(hierarchy, taxonomy, BruteForce(hierarchy, taxonomy));
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(TaxonomyProperties, NamesEdgesAndPositionsAreThoseOfTheInput) {
  for_random_cases([](const Hierarchy& hierarchy, const Taxonomy& taxonomy, const BruteForce& brute) {
    Index edges = 0;
    bool tree = true;
    for (NodeId node = 0; node < taxonomy.size(); ++node) {
      const auto v = static_cast<std::size_t>(node);
      EXPECT_EQ(taxonomy.find(taxonomy.name(node)), node);
      EXPECT_EQ(as_vector(taxonomy.parents(node)), BruteForce::ascending(brute.parents(v)));
      EXPECT_EQ(as_vector(taxonomy.children(node)), BruteForce::ascending(brute.children(v)));
      EXPECT_EQ(taxonomy.is_leaf(node), brute.is_leaf(v));
      edges += static_cast<Index>(taxonomy.parents(node).size());
      tree = tree && std::popcount(brute.parents(v)) <= 1;
    }
    EXPECT_EQ(taxonomy.edges(), edges);
    EXPECT_EQ(taxonomy.is_tree(), tree);
    EXPECT_EQ(taxonomy.find("nobody"), std::nullopt);
    for (std::size_t k = 0; k < hierarchy.mentions.size(); ++k) {
      EXPECT_EQ(taxonomy.input_position(*taxonomy.find(hierarchy.mentions[k])), static_cast<NodeId>(k));
    }
  });
}

TEST(TaxonomyProperties, AVirtualRootStandsAboveSeveralRootsOnly) {
  for_random_cases([](const Hierarchy& hierarchy, const Taxonomy& taxonomy, const BruteForce&) {
    std::vector<bool> has_parent(hierarchy.mentions.size(), false);
    for (const auto& [parent, child] : hierarchy.edges) has_parent[child] = true;
    const auto roots = std::ranges::count(has_parent, false);
    EXPECT_EQ(taxonomy.has_virtual_root(), roots > 1);
    EXPECT_EQ(taxonomy.size(), std::ssize(hierarchy.mentions) + (roots > 1 ? 1 : 0));
    EXPECT_TRUE(taxonomy.parents(taxonomy.root()).empty());
    if (taxonomy.has_virtual_root()) {
      EXPECT_EQ(taxonomy.name(0), Taxonomy::kVirtualRootName);
      EXPECT_EQ(std::ssize(taxonomy.children(0)), roots);
      EXPECT_EQ(taxonomy.input_position(0), taxonomy.size() - 1);
    }
  });
}

TEST(TaxonomyProperties, IdsAreTopologicalAndFollowTheInput) {
  for_random_cases([](const Hierarchy&, const Taxonomy& taxonomy, const BruteForce&) {
    for (NodeId node = 1; node < taxonomy.size(); ++node) {
      ASSERT_FALSE(taxonomy.parents(node).empty());
      EXPECT_LT(std::ranges::max(taxonomy.parents(node)), node);
    }
    // A node follows when its last parent has been placed; then the order of the input decides.
    for (NodeId node = 2; node < taxonomy.size(); ++node) {
      const auto key = [&](NodeId of) { return std::pair(taxonomy.parents(of).back(), taxonomy.input_position(of)); };
      EXPECT_LT(key(node - 1), key(node));
    }
    // In a tree that is: level by level.
    for (NodeId node = 1; taxonomy.is_tree() && node < taxonomy.size(); ++node) {
      EXPECT_LE(taxonomy.depth(node - 1), taxonomy.depth(node));
    }
  });
}

TEST(TaxonomyProperties, LeavesAndInternalNodes) {
  for_random_cases([](const Hierarchy&, const Taxonomy& taxonomy, const BruteForce& brute) {
    std::vector<NodeId> leaves;
    std::vector<NodeId> internal;
    for (NodeId node = 0; node < taxonomy.size(); ++node) {
      (brute.is_leaf(static_cast<std::size_t>(node)) ? leaves : internal).push_back(node);
    }
    EXPECT_EQ(as_vector(taxonomy.leaves()), leaves);
    EXPECT_EQ(as_vector(taxonomy.internal_nodes()), internal);
  });
}

TEST(TaxonomyProperties, DepthsAreTheLongestAndShortestWays) {
  for_random_cases([](const Hierarchy&, const Taxonomy& taxonomy, const BruteForce& brute) {
    int longest = 0;
    for (NodeId node = 0; node < taxonomy.size(); ++node) {
      const Set lengths = brute.path_lengths(static_cast<std::size_t>(node));
      EXPECT_EQ(taxonomy.depth(node), std::bit_width(lengths) - 1);
      EXPECT_EQ(taxonomy.shortest_depth(node), std::countr_zero(lengths));
      longest = std::max(longest, static_cast<int>(std::bit_width(lengths)) - 1);
    }
    EXPECT_EQ(taxonomy.longest_path(), longest);
    EXPECT_EQ(taxonomy.levels(), longest + 1);
  });
}

TEST(TaxonomyProperties, RelativesMatchTheirDefinitions) {
  for_random_cases([](const Hierarchy&, const Taxonomy& taxonomy, const BruteForce& brute) {
    for (NodeId node = 0; node < taxonomy.size(); ++node) {
      const auto v = static_cast<std::size_t>(node);
      std::vector<NodeId> ancestors = taxonomy.ancestors(node);
      EXPECT_TRUE(std::ranges::is_sorted(ancestors, std::greater<>()));
      std::ranges::reverse(ancestors);
      EXPECT_EQ(ancestors, BruteForce::ascending(brute.above(v)));
      EXPECT_EQ(taxonomy.descendants(node), BruteForce::ascending(brute.below(v)));
      EXPECT_EQ(taxonomy.leaves_below(node), BruteForce::ascending(brute.leaves_below(v)));
      EXPECT_EQ(taxonomy.siblings(node), BruteForce::ascending(brute.siblings(v)));
    }
  });
}

TEST(TaxonomyProperties, IsAncestorMatchesItsDefinition) {
  for_random_cases([](const Hierarchy&, const Taxonomy& taxonomy, const BruteForce& brute) {
    for (NodeId a = 0; a < taxonomy.size(); ++a) {
      for (NodeId b = 0; b < taxonomy.size(); ++b) {
        const bool above =
            (brute.above(static_cast<std::size_t>(b)) & BruteForce::bit(static_cast<std::size_t>(a))) != 0;
        ASSERT_EQ(taxonomy.is_ancestor(a, b), above) << a << " " << b;
      }
    }
  });
}

TEST(TaxonomyProperties, LowestCommonAncestorsMatchTheirDefinition) {
  for_random_cases([](const Hierarchy&, const Taxonomy& taxonomy, const BruteForce& brute) {
    for (NodeId a = 0; a < taxonomy.size(); ++a) {
      for (NodeId b = 0; b < taxonomy.size(); ++b) {
        const auto expected = BruteForce::ascending(
            brute.lowest_common_ancestors(static_cast<std::size_t>(a), static_cast<std::size_t>(b)));
        ASSERT_EQ(taxonomy.lowest_common_ancestors(a, b), expected) << a << " " << b;
        if (taxonomy.is_tree()) {
          ASSERT_EQ(taxonomy.lowest_common_ancestor(a, b), expected[0]) << a << " " << b;
        }
      }
    }
  });
}

// The miscellaneous leaves of some nodes, checked against the taxonomy without them.
void check_miscellaneous(const Taxonomy& plain, const std::vector<NodeId>& labelled) {
  const Taxonomy with = plain.with_miscellaneous_leaves(labelled);
  std::vector<NodeId> expected;  // parents of new leaves
  for (const NodeId node : plain.internal_nodes()) {
    if (std::ranges::find(labelled, node) != labelled.end()) expected.push_back(node);
  }
  ASSERT_EQ(with.size(), plain.size() + static_cast<NodeId>(expected.size()));
  EXPECT_EQ(with.edges(), plain.edges() + std::ssize(expected));
  EXPECT_EQ(with.has_virtual_root(), plain.has_virtual_root());
  EXPECT_EQ(with.is_tree(), plain.is_tree());
  for (NodeId node = 0; node < plain.size(); ++node) {
    EXPECT_EQ(with.name(node), plain.name(node));
    EXPECT_EQ(as_vector(with.parents(node)), as_vector(plain.parents(node)));
    EXPECT_EQ(with.depth(node), plain.depth(node));
    EXPECT_EQ(with.input_position(node), plain.input_position(node));
    EXPECT_FALSE(with.is_miscellaneous(node));
    EXPECT_EQ(with.fold(node), node);
    const auto found = std::ranges::find(expected, node);
    const NodeId leaf =
        found == expected.end() ? kNoNode : plain.size() + static_cast<NodeId>(found - expected.begin());
    EXPECT_EQ(with.miscellaneous_leaf(node), leaf);
  }
  for (NodeId leaf = plain.size(); leaf < with.size(); ++leaf) {
    const NodeId parent = expected[static_cast<std::size_t>(leaf - plain.size())];
    EXPECT_TRUE(with.is_miscellaneous(leaf));
    EXPECT_TRUE(with.is_leaf(leaf));
    EXPECT_EQ(as_vector(with.parents(leaf)), std::vector<NodeId>{parent});
    EXPECT_EQ(with.fold(leaf), parent);
    EXPECT_EQ(with.input_position(leaf), leaf);
    EXPECT_EQ(with.find(with.name(leaf)), leaf);
    EXPECT_EQ(plain.find(with.name(leaf)), std::nullopt);
  }
  EXPECT_TRUE(with.with_miscellaneous_leaves(labelled) == with);
  EXPECT_EQ(with == plain, expected.empty());
}

TEST(TaxonomyProperties, MiscellaneousLeavesLeaveTheRestAsItIs) {
  std::uint64_t seed = 0;
  for_random_cases([&](const Hierarchy&, const Taxonomy& taxonomy, const BruteForce&) {
    RandomStream random(++seed, {kTestStream, 99});
    std::vector<NodeId> labelled;
    for (Index k = random.below(10); k > 0; --k) labelled.push_back(static_cast<NodeId>(random.below(taxonomy.size())));
    check_miscellaneous(taxonomy, labelled);
  });
}

TEST(Taxonomy, MiscellaneousLeavesCanBeAddedInSteps) {
  TaxonomyBuilder builder;
  builder.edge("r", "a");
  builder.edge("a", "b");
  builder.edge("r", "a (miscellaneous)");  // the name is taken
  const Taxonomy plain = builder.build();
  const NodeId a = *plain.find("a");
  const Taxonomy first = plain.with_miscellaneous_leaves(std::vector<NodeId>{0});
  const Taxonomy both = first.with_miscellaneous_leaves(std::vector<NodeId>{a, 0});
  EXPECT_EQ(both.size(), plain.size() + 2);
  EXPECT_EQ(both.fold(both.miscellaneous_leaf(0)), 0);
  EXPECT_EQ(both.fold(both.miscellaneous_leaf(a)), a);
  EXPECT_EQ(both.name(both.miscellaneous_leaf(a)), "a (miscellaneous)'");
  EXPECT_FALSE(both.is_miscellaneous(*both.find("a (miscellaneous)")));
  // A miscellaneous leaf is a leaf: it gets none of its own.
  EXPECT_TRUE(both.with_miscellaneous_leaves(std::vector<NodeId>{both.miscellaneous_leaf(a)}) == both);
}

TEST(Taxonomy, EqualityLooksAtNamesEdgesAndOrder) {
  const auto make = [](std::initializer_list<std::pair<const char*, const char*>> edges) {
    TaxonomyBuilder builder;
    for (const auto& [parent, child] : edges) builder.edge(parent, child);
    return builder.build();
  };
  const Taxonomy taxonomy = make({{"r", "a"}, {"r", "b"}, {"a", "c"}});
  EXPECT_TRUE(taxonomy == make({{"r", "a"}, {"r", "b"}, {"a", "c"}}));
  EXPECT_TRUE(taxonomy == make({{"r", "a"}, {"a", "c"}, {"r", "b"}}));  // the same ids
  EXPECT_FALSE(taxonomy == make({{"r", "b"}, {"r", "a"}, {"a", "c"}}));
  EXPECT_FALSE(taxonomy == make({{"r", "a"}, {"r", "b"}, {"b", "c"}}));
  EXPECT_FALSE(taxonomy == make({{"r", "a"}, {"r", "b"}, {"a", "d"}}));
  EXPECT_FALSE(taxonomy == make({{"r", "a"}, {"r", "b"}, {"a", "c"}, {"b", "c"}}));
  const std::vector<std::string> names = {"a"};
  TaxonomyBuilder real_root;
  real_root.edge("root", "a");
  EXPECT_FALSE(flat_taxonomy(names) == real_root.build());
}

TEST(Taxonomy, OneChildChainsAndLeavesAtDifferentDepths) {
  TaxonomyBuilder builder;
  for (const auto& [parent, child] : {std::pair("r", "a"), {"a", "b"}, {"b", "c"}, {"r", "z"}})
    builder.edge(parent, child);
  const Taxonomy taxonomy = builder.build();
  const NodeId c = *taxonomy.find("c");
  EXPECT_EQ(taxonomy.depth(c), 3);
  EXPECT_EQ(taxonomy.levels(), 4);
  EXPECT_TRUE(taxonomy.siblings(c).empty());
  EXPECT_EQ(taxonomy.leaves_below(*taxonomy.find("a")), std::vector<NodeId>{c});
  EXPECT_EQ(taxonomy.leaves_below(c), std::vector<NodeId>{c});
  EXPECT_EQ(taxonomy.lowest_common_ancestor(c, *taxonomy.find("z")), 0);
}

TEST(Taxonomy, ADagCanHaveSeveralLowestCommonAncestors) {
  TaxonomyBuilder builder;
  for (const auto& [parent, child] :
       {std::pair("r", "a"), {"r", "b"}, {"a", "x"}, {"b", "x"}, {"a", "y"}, {"b", "y"}}) {
    builder.edge(parent, child);
  }
  const Taxonomy dag = builder.build();
  EXPECT_EQ(dag.lowest_common_ancestors(*dag.find("x"), *dag.find("y")),
            (std::vector<NodeId>{*dag.find("a"), *dag.find("b")}));
  EXPECT_THROW(dag.lowest_common_ancestor(*dag.find("x"), *dag.find("y")), Error);
}

// Shapes on which indices of trees tend to fail: long paths, wide stars, combs, complete trees, sizes around powers
// of 2.
TEST(Taxonomy, LowestCommonAncestorsOfLargerTreesMatchClimbing) {
  const std::vector<std::pair<const char*, std::function<NodeId(NodeId, RandomStream&)>>> shapes = {
      {"chain", [](NodeId k, RandomStream&) { return k - 1; }},
      {"star", [](NodeId, RandomStream&) { return 0; }},
      {"binary", [](NodeId k, RandomStream&) { return (k - 1) / 2; }},
      {"comb", [](NodeId k, RandomStream&) { return k % 2 == 1 ? std::max(0, k - 2) : k - 1; }},
      {"random", [](NodeId k, RandomStream& random) { return static_cast<NodeId>(random.below(k)); }},
      {"deep",
       [](NodeId k, RandomStream& random) { return static_cast<NodeId>(std::max<Index>(0, k - 1 - random.below(4))); }},
  };
  for (const auto& [shape, parent_of] : shapes) {
    for (const NodeId nodes : {2, 63, 64, 65, 127, 1000, 4096}) {
      RandomStream random(7, {kTestStream, static_cast<std::uint64_t>(nodes)});
      TaxonomyBuilder builder;
      for (NodeId k = 0; k < nodes; ++k) builder.node(std::to_string(k));
      for (NodeId k = 1; k < nodes; ++k) builder.edge(parent_of(k, random), k);
      const Taxonomy tree = builder.build();
      for (int trial = 0; trial < 2000; ++trial) {
        const auto a = static_cast<NodeId>(random.below(nodes));
        const auto b = static_cast<NodeId>(random.below(nodes));
        NodeId x = a;
        NodeId y = b;
        while (x != y) (x > y ? x : y) = tree.parents(std::max(x, y))[0];
        ASSERT_EQ(tree.lowest_common_ancestor(a, b), x) << shape << " of " << nodes << ": " << a << " " << b;
        ASSERT_EQ(tree.is_ancestor(a, b), x == a && a != b) << shape << " of " << nodes << ": " << a << " " << b;
      }
    }
  }
}

}  // namespace
}  // namespace clade::testing
