#include "evaluate/node_distance.h"

#include <gtest/gtest.h>

#include "evaluate/measures_by_definition.h"

namespace clade {
namespace {

using testing::Case;
using testing::CaseShape;

TEST(NodeDistance, MatchesFloydAndWarshallAndIsAMetric) {
  Context ctx({.threads = 2});
  for (std::uint64_t k = 0; k < 400; ++k) {
    RandomStream random(11, {kTestStream, k});
    CaseShape shape{.most_nodes = 30, .most_parents = 1 + static_cast<int>(k % 4)};
    const Case c = testing::random_case(shape, random);
    const testing::Definitions defs(c);
    std::vector<NodePair> pairs;
    for (NodeId a = 0; a < c.taxonomy.size(); ++a) {
      for (NodeId b = 0; b < c.taxonomy.size(); ++b) pairs.push_back({a, b});
    }
    random.shuffle(std::span<NodePair>(pairs));
    const std::vector<int> found = distances(c.taxonomy, pairs, ctx);
    for (std::size_t p = 0; p < pairs.size(); ++p) ASSERT_EQ(found[p], defs.distance(pairs[p].a, pairs[p].b));
    EXPECT_EQ(largest_distance(c.taxonomy, ctx), defs.largest());
    // The triangle inequality, on what was found.
    std::map<std::pair<NodeId, NodeId>, int> d;
    for (std::size_t p = 0; p < pairs.size(); ++p) d[{pairs[p].a, pairs[p].b}] = found[p];
    for (NodeId a = 0; a < c.taxonomy.size(); ++a) {
      for (NodeId b = 0; b < c.taxonomy.size(); ++b) {
        ASSERT_EQ((d[{a, b}] == 0), a == b);
        ASSERT_EQ((d[{a, b}]), (d[{b, a}]));
        for (NodeId m = 0; m < c.taxonomy.size(); m += 3) ASSERT_LE((d[{a, b}]), (d[{a, m}] + d[{m, b}]));
      }
    }
  }
}

TEST(NodeDistance, MoreNodesThanSearchesAtOnce) {
  // A ring of parents below the root makes distances that no common ancestor gives.
  TaxonomyBuilder builder;
  constexpr int kRing = 700;
  for (int k = 0; k < kRing; ++k) builder.edge("root", "p" + std::to_string(k));
  for (int k = 0; k < kRing; ++k) {
    builder.edge("p" + std::to_string(k), "c" + std::to_string(k));
    builder.edge("p" + std::to_string((k + 1) % kRing), "c" + std::to_string(k));
  }
  const Taxonomy taxonomy = builder.build();
  std::vector<NodePair> pairs;
  std::vector<int> expected;
  for (int a = 0; a < kRing; ++a) {
    for (const int apart : {0, 1, 2, 3, 350}) {
      pairs.push_back(
          {*taxonomy.find("c" + std::to_string(a)), *taxonomy.find("c" + std::to_string((a + apart) % kRing))});
      expected.push_back(std::min(2 * apart, 4));
    }
  }
  Context ctx({.threads = 2});
  EXPECT_EQ(distances(taxonomy, pairs, ctx), expected);
  EXPECT_EQ(largest_distance(taxonomy, ctx), 4);
}

}  // namespace
}  // namespace clade
