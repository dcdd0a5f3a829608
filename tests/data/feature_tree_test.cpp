#include <clade/error.h>
#include <clade/feature_tree.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/random.h"

namespace clade {
namespace {

using Set = std::set<FeatureIndex>;

std::size_t at(NodeId node) {
  return static_cast<std::size_t>(node);
}

// Groups in any order, each stating its own features and now and then what those below it have.
struct Case {
  Index features = 0;
  std::vector<FeatureGroup> groups;
  std::vector<Set> sets;  // what each group has
};

Case random_case(RandomStream& random) {
  Case made;
  made.features = 1 + random.below(40);
  const Index groups = 1 + random.below(std::min<Index>(made.features, 12));
  std::vector<NodeId> place(static_cast<std::size_t>(groups));
  for (NodeId g = 0; g < groups; ++g) place[at(g)] = g;
  random.shuffle(std::span(place));
  made.groups.resize(place.size());
  made.sets.resize(place.size());
  std::vector<NodeId> parent(place.size(), kNoNode);
  for (NodeId g = 0; g < groups; ++g) {
    if (g > 0) parent[at(g)] = static_cast<NodeId>(random.below(g));
    made.groups[at(place[at(g)])] = {.name = "g" + std::to_string(g),
                                     .parent = g == 0 ? kNoNode : place[at(parent[at(g)])]};
  }
  // Every group has at least one feature of its own.
  for (FeatureIndex f = 0; f < made.features; ++f) {
    const auto owner = static_cast<NodeId>(f < groups ? f : random.below(groups));
    for (NodeId g = owner; g != kNoNode; g = parent[at(g)]) {
      made.sets[at(place[at(g)])].insert(f);
      if (g == owner || random.uniform() < 0.3) made.groups[at(place[at(g)])].features.push_back(f);
    }
  }
  for (FeatureGroup& group : made.groups) random.shuffle(std::span(group.features));
  return made;
}

TEST(FeatureTree, HasTheSetsOfItsGroups) {
  RandomStream random(1, {kTestStream});
  for (int repeat = 0; repeat < 500; ++repeat) {
    const Case made = random_case(random);
    const FeatureTree tree = FeatureTree::build(made.features, made.groups);
    ASSERT_EQ(tree.size(), std::ssize(made.groups));
    ASSERT_EQ(tree.features(), made.features);
    std::vector<FeatureIndex> order(tree.order().begin(), tree.order().end());
    std::sort(order.begin(), order.end());
    for (FeatureIndex f = 0; f < made.features; ++f) EXPECT_EQ(order[static_cast<std::size_t>(f)], f);
    int deepest = 0;
    for (NodeId node = 0; node < tree.size(); ++node) {
      const auto group = std::ranges::find(made.groups, tree.name(node), &FeatureGroup::name);
      const auto g = static_cast<std::size_t>(group - made.groups.begin());
      const auto features = tree.features_of(node);
      EXPECT_EQ(Set(features.begin(), features.end()), made.sets[g]);
      EXPECT_EQ(std::ssize(features), tree.count(node));
      if (group->parent == kNoNode) {
        EXPECT_EQ(node, tree.root());
        EXPECT_EQ(tree.parent(node), kNoNode);
      } else {
        EXPECT_EQ(tree.name(tree.parent(node)), made.groups[at(group->parent)].name);
        EXPECT_LT(tree.parent(node), node);
        EXPECT_EQ(tree.depth(node), tree.depth(tree.parent(node)) + 1);
      }
      deepest = std::max(deepest, tree.depth(node));
      Set own = made.sets[g];
      NodeId previous = 0;
      for (const NodeId child : tree.children(node)) {
        EXPECT_GT(child, previous);
        previous = child;
        EXPECT_EQ(tree.parent(child), node);
        for (const FeatureIndex f : tree.features_of(child)) EXPECT_EQ(own.erase(f), 1U);
      }
      const auto found = tree.own_features(node);
      EXPECT_EQ(std::vector<FeatureIndex>(own.begin(), own.end()),
                std::vector<FeatureIndex>(found.begin(), found.end()));
    }
    EXPECT_EQ(tree.levels(), deepest + 1);
    EXPECT_EQ(tree.uncovered(), 0);
  }
}

TEST(FeatureTree, SiblingsKeepTheirOrder) {
  const std::vector<FeatureGroup> groups{{"b", 2, {3}}, {"a", 2, {0, 1}}, {"top", kNoNode, {2}}, {"c", 1, {0}}};
  const FeatureTree tree = FeatureTree::build(4, groups);
  std::vector<std::string> names;
  for (NodeId node = 0; node < tree.size(); ++node) names.push_back(tree.name(node));
  EXPECT_EQ(names, (std::vector<std::string>{"top", "b", "a", "c"}));
  EXPECT_EQ(std::vector<FeatureIndex>(tree.order().begin(), tree.order().end()),
            (std::vector<FeatureIndex>{2, 3, 1, 0}));
}

std::string message(Index features, const std::vector<FeatureGroup>& groups, const FeatureTree::Source& source = {}) {
  try {
    FeatureTree::build(features, groups, source);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInput);
    return error.what();
  }
  return "";
}

TEST(FeatureTree, SaysInOneLineWhatIsWrong) {
  const std::vector<std::string> words{"coin", "cash", "money"};
  const FeatureTree::Source named{.file = "tree.json", .feature_names = words};
  EXPECT_EQ(message(3, {{"root", kNoNode, {0}}, {"a", 0, {1}}}, named),
            "tree.json: feature 'money' is in no group; expected all 3 features");
  EXPECT_EQ(message(5, {{"root", kNoNode, {0}}, {"a", 0, {1}}}),
            "feature '2' and 2 more are in no group; expected all 5 features");
  EXPECT_EQ(
      message(3, {{"root", kNoNode, {0, 1, 2}}, {"a", 0, {1, 0}}, {"b", 0, {2, 1}}}, named),
      "tree.json: groups 'a' and 'b' overlap: both have feature 'cash'; expected groups that share no feature, or "
      "one below the other");
  EXPECT_EQ(
      message(3, {{"root", kNoNode, {0}}, {"a", 0, {1}}, {"b", 0, {2}}, {"c", 1, {2}}}),
      "groups 'c' and 'b' overlap: both have feature '2'; expected groups that share no feature, or one below the "
      "other");
  EXPECT_EQ(message(3, {{"root", kNoNode, {0, 1, 3}}}), "group 'root' has feature 3; expected features from 0 to 2");
  EXPECT_EQ(message(3, {{"root", kNoNode, {-1}}}), "group 'root' has feature -1; expected features from 0 to 2");
  EXPECT_EQ(message(1, {{"root", kNoNode, {0}}, {"a", 2, {}}, {"b", 1, {}}}),
            "groups 'a', 'b' are below each other; expected a tree");
  EXPECT_EQ(message(1, {{"root", kNoNode, {0}}, {"a", 1, {}}, {"b", 1, {}}}),
            "group 'a' is below itself; expected a tree");
  EXPECT_EQ(message(1, {{"root", kNoNode, {0}}, {"a", kNoNode, {}}}),
            "two groups without a parent: 'root' and 'a'; expected one, the root");
  EXPECT_EQ(message(1, {{"a", 0, {0}}}), "no group without a parent; expected one, the root");
  EXPECT_EQ(message(1, {}), "no group without a parent; expected one, the root");
  EXPECT_EQ(message(1, {{"root", kNoNode, {0}}, {"a", 7, {}}}),
            "group 'a' is below a group that is not there; expected the number of a group");
  EXPECT_EQ(message(1, {{"root", kNoNode, {0}}, {"a", 0, {}}}),
            "group 'a' has no features; expected some in every group");
  EXPECT_EQ(message(0, {{"root", kNoNode, {}}}), "group 'root' has no features; expected some in every group");
}

TEST(FeatureTree, FeaturesOfNoGroupGoToTheRootWhereAllowed) {
  const std::vector<FeatureGroup> groups{{"root", kNoNode, {1}}, {"a", 0, {3, 4}}};
  const FeatureTree tree = FeatureTree::build(6, groups, {.is_whole = false});
  EXPECT_EQ(tree.uncovered(), 3);
  EXPECT_EQ(std::vector<FeatureIndex>(tree.order().begin(), tree.order().end()),
            (std::vector<FeatureIndex>{0, 1, 2, 5, 3, 4}));
  EXPECT_EQ(std::ssize(tree.own_features(0)), 4);
  EXPECT_EQ(tree.count(0), 6);
}

}  // namespace
}  // namespace clade
