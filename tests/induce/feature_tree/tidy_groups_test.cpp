#include "induce/feature_tree/tidy_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/random.h"

namespace clade {
namespace {

using Set = std::set<FeatureIndex>;

// Parents first; some groups have nothing of their own, so that there are chains.
std::vector<FeatureGroup> random_groups(Index features, RandomStream& random) {
  std::vector<FeatureGroup> groups{{.name = "root"}};
  const Index count = 1 + random.below(20);
  for (NodeId g = 1; g < count; ++g) {
    const Index back = random.below(std::min<Index>(g, 3));
    groups.push_back({.name = "g", .parent = static_cast<NodeId>(g - 1 - back)});
  }
  for (FeatureIndex f = 0; f < features; ++f) {
    groups[static_cast<std::size_t>(random.below(std::ssize(groups)))].features.push_back(f);
  }
  return groups;
}

std::vector<Set> sets_of(const std::vector<FeatureGroup>& groups) {
  std::vector<Set> sets(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (auto at = static_cast<NodeId>(g); at != kNoNode; at = groups[static_cast<std::size_t>(at)].parent) {
      sets[static_cast<std::size_t>(at)].insert(groups[g].features.begin(), groups[g].features.end());
    }
  }
  return sets;
}

// How many of the sets hold all of this one and more.
int depth_in(const std::set<Set>& family, const Set& set) {
  return static_cast<int>(std::ranges::count_if(
      family, [&](const Set& other) { return other.size() > set.size() && std::ranges::includes(other, set); }));
}

TEST(TidyGroups, KeepsEverySetThatIsLargeEnoughOnce) {
  RandomStream random(1, {kTestStream});
  for (int repeat = 0; repeat < 1000; ++repeat) {
    const Index features = 1 + random.below(30);
    const std::vector<FeatureGroup> groups = random_groups(features, random);
    const Index smallest = 1 + random.below(4);
    const auto depth = static_cast<int>(random.below(5));
    const std::vector<Set> given = sets_of(groups);
    std::set<Set> family{given[0]};
    for (const Set& set : given) {
      if (std::ssize(set) >= smallest) family.insert(set);
    }
    std::set<Set> expected;
    for (const Set& set : family) {
      if (depth == 0 || depth_in(family, set) <= depth) expected.insert(set);
    }
    const std::vector<FeatureGroup> tidy = tidy_groups(groups, smallest, depth);
    const std::vector<Set> found = sets_of(tidy);
    EXPECT_EQ(std::set<Set>(found.begin(), found.end()), expected);
    EXPECT_EQ(found.size(), expected.size());
    const FeatureTree tree = FeatureTree::build(features, tidy);
    EXPECT_LE(tree.levels(), depth == 0 ? 100 : depth + 1);
    EXPECT_EQ(tree.name(0), "root");
  }
}

TEST(TidyGroups, OfEqualSetsTheLowerNameStays) {
  const std::vector<FeatureGroup> groups = tidy_groups(
      {{"root", kNoNode, {4}}, {"entity", 0, {}}, {"animal", 1, {}}, {"dog", 2, {0, 1}}, {"cat", 2, {2}}}, 2, 0);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[1].name, "animal");
  EXPECT_EQ(groups[2].name, "dog");
  EXPECT_EQ(groups[1].features, std::vector<FeatureIndex>{2});
}

}  // namespace
}  // namespace clade
