#include "experiment/diagnose/edit_taxonomy.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace clade {
namespace {

using Edges = std::set<std::pair<std::string, std::string>>;  // child and parent

Taxonomy taxonomy_of(const std::vector<std::pair<std::string, std::string>>& child_parent) {
  TaxonomyBuilder builder;
  for (const auto& [child, parent] : child_parent) builder.edge(parent, child);
  return builder.build();
}

Edges edges_of(const Taxonomy& taxonomy) {
  Edges edges;
  for (NodeId node = 0; node < taxonomy.size(); ++node) {
    for (const NodeId parent : taxonomy.parents(node)) edges.emplace(taxonomy.name(node), taxonomy.name(parent));
  }
  return edges;
}

TaxonomyEdit edit(TaxonomyEdit::Kind kind, std::string node, std::string to = {}) {
  TaxonomyEdit result;
  result.kind = kind;
  result.node = std::move(node);
  result.to = std::move(to);
  return result;
}

using Kind = TaxonomyEdit::Kind;

std::vector<std::pair<std::string, std::string>> small_tree() {
  return {{"A", "r"}, {"B", "r"}, {"C", "r"}, {"a", "A"}, {"b", "A"}, {"c", "B"}, {"d", "B"}, {"e", "B"}, {"f", "C"}};
}

TEST(EditTaxonomy, AMoveTakesAwayWhatDividesNothingAnyMore) {
  const Taxonomy tree = taxonomy_of(small_tree());
  const TaxonomyEdit move = edit(Kind::kMove, "a", "B");
  EXPECT_EQ(edges_of(edited_taxonomy(tree, {&move, 1}, {})),
            (Edges{{"b", "r"}, {"B", "r"}, {"C", "r"}, {"a", "B"}, {"c", "B"}, {"d", "B"}, {"e", "B"}, {"f", "C"}}));
  // A node that is a label itself stays.
  const NodeId labelled[] = {*tree.find("A")};
  EXPECT_TRUE(edited_taxonomy(tree, {&move, 1}, labelled).find("A").has_value());
}

TEST(EditTaxonomy, ANodeWithoutChildrenGoes) {
  const Taxonomy tree = taxonomy_of(small_tree());
  const TaxonomyEdit move = edit(Kind::kMove, "f", "A");
  const Taxonomy edited = edited_taxonomy(tree, {&move, 1}, {});
  EXPECT_FALSE(edited.find("C").has_value());
  EXPECT_EQ(edited.leaves().size(), 6);
}

TEST(EditTaxonomy, SeveralEditsOneAfterTheOther) {
  const Taxonomy tree = taxonomy_of(small_tree());
  const std::vector<TaxonomyEdit> edits{edit(Kind::kMove, "c", "A"), edit(Kind::kRemove, "A"),
                                        edit(Kind::kCollapse, "C")};
  EXPECT_EQ(edges_of(edited_taxonomy(tree, edits, {})),
            (Edges{{"a", "r"}, {"b", "r"}, {"c", "r"}, {"f", "r"}, {"B", "r"}, {"d", "B"}, {"e", "B"}}));
}

TEST(EditTaxonomy, AMoveToANodeThatWentGoesAboveIt) {
  const Taxonomy tree = taxonomy_of(small_tree());
  const std::vector<TaxonomyEdit> edits{edit(Kind::kMove, "f", "B"), edit(Kind::kMove, "c", "C")};
  const Taxonomy edited = edited_taxonomy(tree, edits, {});
  EXPECT_TRUE(edges_of(edited).contains({"c", "r"}));
  EXPECT_FALSE(edited.has_virtual_root());
}

TEST(EditTaxonomy, AVirtualRootStays) {
  TaxonomyBuilder builder;
  for (const auto& [child, parent] : small_tree()) {
    if (parent != "r") builder.edge(parent, child);
  }
  const Taxonomy forest = builder.build();
  ASSERT_TRUE(forest.has_virtual_root());
  const std::vector<TaxonomyEdit> edits{edit(Kind::kRemove, "B")};
  const Taxonomy edited = edited_taxonomy(forest, edits, {});
  EXPECT_TRUE(edited.has_virtual_root());
  EXPECT_EQ(edited.children(edited.root()).size(), 5);
}

TEST(EditTaxonomy, InADagChildrenGoToAllParents) {
  const Taxonomy dag =
      taxonomy_of({{"A", "r"}, {"B", "r"}, {"m", "A"}, {"m", "B"}, {"x", "m"}, {"y", "A"}, {"x", "B"}});
  const std::vector<TaxonomyEdit> chains = chains_of(dag, {});
  ASSERT_EQ(chains.size(), 1);
  EXPECT_EQ(chains[0].node, "m");
  EXPECT_EQ(edges_of(edited_taxonomy(dag, chains, {})),
            (Edges{{"A", "r"}, {"B", "r"}, {"x", "A"}, {"x", "B"}, {"y", "A"}}));
}

TEST(EditTaxonomy, NothingIsAChainAfterChainsCollapse) {
  const Taxonomy tree = taxonomy_of({{"top", "r"},
                                     {"A", "top"},
                                     {"B", "top"},
                                     {"C", "B"},
                                     {"D", "C"},
                                     {"x", "D"},
                                     {"y", "D"},
                                     {"E", "A"},
                                     {"z", "E"}});
  const std::vector<TaxonomyEdit> chains = chains_of(tree, {});
  const Taxonomy edited = edited_taxonomy(tree, chains, {});
  EXPECT_TRUE(chains_of(edited, {}).empty());
  EXPECT_EQ(edges_of(edited), (Edges{{"D", "r"}, {"x", "D"}, {"y", "D"}, {"z", "r"}}));
}

TEST(Subtree, KeepsNamesAndEdgesBelow) {
  const Taxonomy tree = taxonomy_of(small_tree());
  EXPECT_EQ(edges_of(subtree(tree, *tree.find("B"))), (Edges{{"c", "B"}, {"d", "B"}, {"e", "B"}}));
}

}  // namespace
}  // namespace clade
