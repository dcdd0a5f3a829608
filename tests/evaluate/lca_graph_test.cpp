#include "evaluate/lca_graph.h"

#include <gtest/gtest.h>

#include <string>

namespace clade {
namespace {

LcaScore score(const Taxonomy& taxonomy, const std::vector<std::string>& truth,
               const std::vector<std::string>& predicted) {
  const auto ids = [&](const std::vector<std::string>& names) {
    std::vector<NodeId> nodes;
    for (const auto& name : names) nodes.push_back(*taxonomy.find(name));
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  };
  std::vector<NodeId> all(static_cast<std::size_t>(taxonomy.size()));
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<NodeId>(k);
  Context ctx;
  const AncestorTable table(taxonomy, all, ctx);
  return LcaGraphs(table).score(ids(truth), ids(predicted));
}

TEST(LcaGraph, OneLabelInATree) {
  TaxonomyBuilder builder;
  for (const auto& [parent, child] : {std::pair{"r", "a"}, {"r", "b"}, {"a", "c"}, {"c", "d"}, {"b", "e"}}) {
    builder.edge(parent, child);
  }
  const Taxonomy tree = builder.build();
  // The ways r-a-c-d and r-b-e meet at the root: three and two nodes below it.
  const LcaScore far = score(tree, {"d"}, {"e"});
  EXPECT_DOUBLE_EQ(far.recall, 1.0 / 4);
  EXPECT_DOUBLE_EQ(far.precision, 1.0 / 3);
  EXPECT_DOUBLE_EQ(far.f1, 2.0 / 7);
  // An ancestor of the truth: everything predicted is right.
  EXPECT_DOUBLE_EQ(score(tree, {"d"}, {"a"}).precision, 1);
  EXPECT_DOUBLE_EQ(score(tree, {"d"}, {"a"}).recall, 1.0 / 3);
}

TEST(LcaGraph, ASharedConnectorServesAllLabels) {
  // Both pairs could meet at their own parent or at the shared one.
  TaxonomyBuilder builder;
  for (const char* parent : {"own1", "own2", "shared"}) builder.edge("r", parent);
  for (const auto& [parent, child] : {std::pair{"own1", "y1"}, {"own1", "z1"}, {"own2", "y2"}, {"own2", "z2"}}) {
    builder.edge(parent, child);
  }
  for (const char* child : {"y1", "z1", "y2", "z2"}) builder.edge("shared", child);
  const LcaScore result = score(builder.build(), {"y1", "y2"}, {"z1", "z2"});
  // {shared, y1, y2} and {shared, z1, z2}: one node of three in common.
  EXPECT_DOUBLE_EQ(result.precision, 1.0 / 3);
  EXPECT_DOUBLE_EQ(result.recall, 1.0 / 3);
}

TEST(LcaGraph, MoreConnectorsThanAreTriedInFull) {
  TaxonomyBuilder builder;
  std::vector<std::string> truth;
  std::vector<std::string> predicted;
  for (int k = 0; k < 12; ++k) {
    const std::string number = std::to_string(k);
    truth.push_back("y" + number);
    predicted.push_back("z" + number);
    for (const char* parent : {"c", "d"}) {
      builder.edge("r", parent + number);
      builder.edge(parent + number, truth.back());
      builder.edge(parent + number, predicted.back());
    }
  }
  static_assert(24 > LcaGraphs::kExactConnectors);
  const LcaScore result = score(builder.build(), truth, predicted);
  EXPECT_DOUBLE_EQ(result.precision, 0.5);  // one connector for each pair
  EXPECT_DOUBLE_EQ(result.recall, 0.5);
}

}  // namespace
}  // namespace clade
