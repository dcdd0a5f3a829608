#include "induce/cluster_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "induce/clustering_by_definition.h"
#include "induce/cut.h"

namespace clade {
namespace {

using ::testing::ElementsAre;

// ((a b) (c d)) e, with as many cuts as given.
Dendrogram five_classes(int cuts_of_pair, int cuts_of_four, int cuts_of_all, int levels = 2) {
  Dendrogram dendrogram;
  dendrogram.classes = {"a", "b", "c", "d", "e"};
  dendrogram.samples = {1, 1, 1, 1, 1};
  dendrogram.levels = levels;
  dendrogram.merges = {{.first = 0, .second = 1, .distance = 1, .size = 2, .inconsistency = 0, .cuts = 0},
                       {.first = 2, .second = 3, .distance = 2, .size = 2, .inconsistency = 0, .cuts = cuts_of_pair},
                       {.first = 5, .second = 6, .distance = 3, .size = 4, .inconsistency = 0, .cuts = cuts_of_four},
                       {.first = 4, .second = 7, .distance = 4, .size = 5, .inconsistency = 0, .cuts = cuts_of_all}};
  return dendrogram;
}

std::vector<std::string> edges(const Taxonomy& taxonomy) {
  std::vector<std::string> result;
  for (NodeId node = 1; node < taxonomy.size(); ++node) {
    result.push_back(taxonomy.name(node) + " < " + taxonomy.name(taxonomy.parents(node)[0]));
  }
  return result;
}

TEST(ClusterTree, AClassAloneHangsFromTheRoot) {
  EXPECT_THAT(edges(cluster_tree(five_classes(0, 1, 1), {}, false).taxonomy),
              ElementsAre("cluster-1 < root", "cluster-2 < root", "e < root", "a < cluster-1", "b < cluster-1",
                          "c < cluster-2", "d < cluster-2"));
}

TEST(ClusterTree, StrictlyItHasANodeOfItsOwn) {
  const ClusterTree tree = cluster_tree(five_classes(1, 1, 1), {"f"}, true);
  EXPECT_THAT(edges(tree.taxonomy),
              ElementsAre("cluster-1 < root", "cluster-2 < root", "cluster-3 < root", "cluster-4 < root",
                          "cluster-5 < root", "a < cluster-1", "b < cluster-1", "c < cluster-2", "d < cluster-3",
                          "e < cluster-4", "f < cluster-5"));
}

TEST(ClusterTree, OneClusterOfAllDividesNothing) {
  EXPECT_THAT(edges(cluster_tree(five_classes(0, 0, 0), {"f"}, false).taxonomy),
              ElementsAre("a < root", "b < root", "c < root", "d < root", "e < root", "f < root"));
  EXPECT_EQ(cluster_tree(five_classes(0, 0, 0), {}, true).taxonomy.levels(), 3);
}

TEST(ClusterTree, LevelsAreNested) {
  EXPECT_THAT(edges(cluster_tree(five_classes(0, 1, 2, 3), {}, false).taxonomy),
              ElementsAre("cluster-1 < root", "e < root", "cluster-1.1 < cluster-1", "cluster-1.2 < cluster-1",
                          "a < cluster-1.1", "b < cluster-1.1", "c < cluster-1.2", "d < cluster-1.2"));
}

TEST(ClusterTree, NamesNeverClash) {
  Dendrogram dendrogram = five_classes(0, 1, 1);
  dendrogram.classes = {"cluster-1", "root", "new-cluster-", "d", "e"};
  const Taxonomy taxonomy = cluster_tree(dendrogram, {"new-root"}, false).taxonomy;
  EXPECT_EQ(taxonomy.name(taxonomy.root()), "new-new-root");
  EXPECT_TRUE(taxonomy.find("new-new-cluster-1"));
  EXPECT_EQ(taxonomy.leaves().size(), 6u);
}

TEST(ClusterTree, OneClassOnly) {
  Dendrogram dendrogram;
  dendrogram.classes = {"a"};
  EXPECT_THAT(edges(cluster_tree(dendrogram, {}, false).taxonomy), ElementsAre("a < root"));
  EXPECT_THAT(edges(cluster_tree(dendrogram, {}, true).taxonomy), ElementsAre("cluster-1 < root", "a < cluster-1"));
}

TEST(ClusterTree, EveryClassIsALeafOnceAndClustersHoldWhatHangsBelowThem) {
  RandomStream random(8, {kTestStream});
  Context ctx;
  for (int repeat = 0; repeat < 80; ++repeat) {
    const Index q = 3 + random.below(60);
    Dendrogram dendrogram;
    for (Index k = 0; k < q; ++k) dendrogram.classes.push_back("c" + std::to_string(k));
    dendrogram.merges = agglomerate(condensed(random_distances(q, random)), Linkage::kAverage, ctx);
    set_inconsistency(dendrogram.merges);
    if (repeat % 2 == 0) {
      dendrogram.threshold = cut_inconsistent(dendrogram.merges);
    } else {
      dendrogram.levels = static_cast<int>(1 + random.below(std::min<Index>(q - 1, 5)));
      cut_levels(dendrogram.merges, dendrogram.levels);
    }
    const bool strict = repeat % 3 == 0;
    const ClusterTree tree = cluster_tree(dendrogram, {"empty"}, strict);
    const Taxonomy& taxonomy = tree.taxonomy;
    EXPECT_TRUE(taxonomy.is_tree());
    EXPECT_EQ(std::ssize(taxonomy.leaves()), q + 1);
    EXPECT_EQ(taxonomy.internal_nodes().size(), tree.clusters.size() + 1);
    for (const ClassCluster& cluster : tree.clusters) {
      const NodeId node = *taxonomy.find(cluster.name);
      EXPECT_EQ(taxonomy.name(taxonomy.parents(node)[0]), cluster.parent);
      std::set<std::string> below;
      for (const NodeId leaf : taxonomy.leaves_below(node)) below.insert(taxonomy.name(leaf));
      EXPECT_EQ(below, std::set<std::string>(cluster.classes.begin(), cluster.classes.end()));
      if (!strict) {
        EXPECT_GE(taxonomy.children(node).size(), 2u);
      }
    }
    for (const NodeId leaf : taxonomy.leaves()) {
      if (strict) {
        EXPECT_EQ(taxonomy.depth(leaf), dendrogram.levels);
      }
    }
    // Classes are together at a level exactly if a link that holds there joins them.
    for (int level = 1; level < dendrogram.levels && strict; ++level) {
      const std::vector<Index> clusters = clusters_at(dendrogram, level);
      for (std::size_t i = 0; i < clusters.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          const NodeId common = taxonomy.lowest_common_ancestor(*taxonomy.find(dendrogram.classes[i]),
                                                                *taxonomy.find(dendrogram.classes[j]));
          EXPECT_EQ(clusters[i] == clusters[j], taxonomy.depth(common) >= level);
        }
      }
    }
  }
}

}  // namespace
}  // namespace clade
