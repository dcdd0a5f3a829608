#include "io/feature_tree/feature_tree_file.h"

#include <clade/error.h>
#include <gtest/gtest.h>

#include "core/random.h"
#include "temporary_folder.h"

namespace clade {
namespace {

const std::vector<std::string> kWords{"coin", "cash", "money", "gold", "ring", "gem"};

FeatureHierarchy parsed(std::string_view text, const std::optional<KnownFeatures>& known = std::nullopt) {
  return parse_feature_tree(Input::from_bytes("tree.json", text), known);
}

std::string message(std::string_view text, const std::optional<KnownFeatures>& known = std::nullopt) {
  try {
    parsed(text, known);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInput);
    return error.what();
  }
  return "";
}

std::vector<FeatureIndex> features(const FeatureTree& tree, NodeId node) {
  const auto of = tree.features_of(node);
  return {of.begin(), of.end()};
}

constexpr std::string_view kByName = R"({"name": "asset", "children": [
  {"name": "money", "features": ["money"], "children": [{"name": "change", "features": ["cash", "coin"]}]},
  {"name": "valuables", "features": ["gold", "ring", "gem"]}]})";

TEST(FeatureTreeFile, NodesByNameForKnownFeatures) {
  const FeatureHierarchy found = parsed(kByName, KnownFeatures{6, kWords});
  ASSERT_EQ(found.tree.size(), 4);
  EXPECT_EQ(found.tree.name(2), "change");
  EXPECT_EQ(features(found.tree, 0), (std::vector<FeatureIndex>{2, 0, 1, 3, 4, 5}));
  EXPECT_EQ(features(found.tree, 2), (std::vector<FeatureIndex>{0, 1}));
  EXPECT_EQ(found.feature_names, kWords);
  EXPECT_TRUE(found.notes.empty());
}

TEST(FeatureTreeFile, NodesByNameOnTheirOwn) {
  const FeatureHierarchy found = parsed(kByName);
  EXPECT_EQ(found.feature_names, (std::vector<std::string>{"money", "cash", "coin", "gold", "ring", "gem"}));
  EXPECT_EQ(features(found.tree, 2), (std::vector<FeatureIndex>{1, 2}));
}

TEST(FeatureTreeFile, NodesByNumber) {
  constexpr std::string_view kText =
      R"({"name": "all", "features": [0, 1, 2, 3], "children": [{"name": "a", "features": [3, 0]}], "colour": 1})";
  EXPECT_EQ(features(parsed(kText).tree, 1), (std::vector<FeatureIndex>{0, 3}));
  const FeatureHierarchy known = parsed(kText, KnownFeatures{6, {}});
  EXPECT_EQ(known.tree.uncovered(), 2);
  EXPECT_EQ(known.notes, (std::vector<std::string>{"2 features that no group mentions put directly below the root"}));
  // Features without names go by their numbers, written in either way.
  EXPECT_EQ(parsed(R"({"name": "all", "features": ["0", "1"]})", KnownFeatures{2, {}}).tree.features(), 2);
}

TEST(FeatureTreeFile, ReadsBackWhatItWrites) {
  RandomStream random(1, {kTestStream});
  for (int repeat = 0; repeat < 100; ++repeat) {
    const Index count = 1 + random.below(30);
    std::vector<FeatureGroup> groups{{.name = "root \"\n\xC3\xA9"}};
    for (NodeId g = 1; g < 1 + random.below(std::min<Index>(count, 8)); ++g) {
      groups.push_back({.name = "g" + std::to_string(g), .parent = static_cast<NodeId>(random.below(g))});
    }
    for (FeatureIndex f = 0; f < count; ++f) {
      const Index g = f < std::ssize(groups) ? f : random.below(std::ssize(groups));
      groups[static_cast<std::size_t>(g)].features.push_back(f);
    }
    FeatureHierarchy hierarchy{.tree = FeatureTree::build(count, groups)};
    if (repeat % 2 == 0) {
      for (FeatureIndex f = 0; f < count; ++f) hierarchy.feature_names.push_back("f," + std::to_string(f));
      hierarchy.method = "by hand";
      hierarchy.parameters = {{"depth", "5"}, {"word", "a \"b\""}, {"flag", "true"}, {"share", "0.25"}};
      hierarchy.notes = {"one", "two"};
    }
    StringSink sink;
    print_feature_tree(hierarchy, sink);
    EXPECT_TRUE(looks_like_feature_tree(sink.text().substr(0, 100)));
    for (const bool known : {false, true}) {
      const FeatureHierarchy found =
          parsed(sink.text(), known ? std::optional(KnownFeatures{count, hierarchy.feature_names}) : std::nullopt);
      EXPECT_EQ(found.tree, hierarchy.tree);
      EXPECT_EQ(found.feature_names, hierarchy.feature_names);
      EXPECT_EQ(found.method, hierarchy.method);
      EXPECT_EQ(found.parameters, hierarchy.parameters);
      EXPECT_EQ(found.notes, hierarchy.notes);
    }
  }
}

TEST(FeatureTreeFile, FilesAppearWholeAndMayBeCompressed) {
  const TemporaryFolder folder;
  Context ctx;
  const std::vector<FeatureGroup> groups{{.name = "root", .features = {0, 1}}};
  const FeatureHierarchy hierarchy{.tree = FeatureTree::build(2, groups)};
  for (const std::string& path : {folder.file("tree.json"), folder.file("tree.json.gz")}) {
    write_feature_tree(hierarchy, path, false);
    EXPECT_EQ(read_feature_tree(path, ctx).tree, hierarchy.tree);
    EXPECT_THROW(write_feature_tree(hierarchy, path, false), Error);
    write_feature_tree(hierarchy, path, true);
  }
  EXPECT_THROW(read_feature_tree(folder.file("none.json"), ctx), Error);
}

TEST(FeatureTreeFile, AVeryDeepTree) {
  std::vector<FeatureGroup> groups;
  for (NodeId g = 0; g < 20000; ++g) groups.push_back({.name = "g", .parent = g - 1, .features = {g}});
  const FeatureHierarchy hierarchy{.tree = FeatureTree::build(20000, groups)};
  StringSink sink;
  print_feature_tree(hierarchy, sink);
  EXPECT_EQ(parsed(sink.text()).tree, hierarchy.tree);
}

TEST(FeatureTreeFile, SaysWhereAndWhatIsWrong) {
  const KnownFeatures words{6, kWords};
  EXPECT_EQ(message("[1, 2]"),
            "tree.json:1:1: a JSON text without an object; expected {\"name\": ..., \"features\": [...], \"children\": "
            "[...]}");
  EXPECT_NE(message("{\"name\": \"a\",\n x}").find("tree.json:2:2: not well-formed JSON"), std::string::npos);
  EXPECT_NE(message("").find("not well-formed JSON"), std::string::npos);
  EXPECT_NE(message(R"({"features": [0]})").find("1:1: a group without a name"), std::string::npos);
  EXPECT_NE(message(R"({"name": "a", "features": 3})").find("features that are no list"), std::string::npos);
  EXPECT_NE(message(R"({"name": "a", "children": ["b"]})").find("a group that is no object"), std::string::npos);
  EXPECT_NE(message(R"({"name": "a", "name": "b"})").find("the field name twice"), std::string::npos);
  EXPECT_NE(message(R"({"name": "a", "features": [1.5]})").find("neither a name nor a number"), std::string::npos);
  EXPECT_NE(message(R"({"name": "a", "features": [-1]})").find("neither a name nor a number"), std::string::npos);
  EXPECT_NE(message(R"({"name": "a", "features": [0, "b"]})").find("feature 'b' after others by number"),
            std::string::npos);
  EXPECT_NE(message(R"({"name": "a", "features": ["b", 0]})").find("feature 0 after others by name"),
            std::string::npos);
  EXPECT_EQ(message("{\"name\": \"a\",\n \"features\": [\"silver\"]}", words),
            "tree.json:2:15: feature 'silver' in group 'a' is not known; expected one of the 6 features of the data");
  EXPECT_NE(message(R"({"name": "a", "features": [6]})", words).find("feature 6 in group 'a' is not known"),
            std::string::npos);
  EXPECT_NE(message(R"({"name": "a", "features": ["x"]})", KnownFeatures{3, {}}).find("feature 'x' in group 'a'"),
            std::string::npos);
  const std::vector<std::string> twins{"a", "a"};
  EXPECT_NE(message(R"({"name": "a", "features": ["a"]})", KnownFeatures{2, twins}).find("several features are named"),
            std::string::npos);
  EXPECT_NE(
      message(R"({"name": "a", "features": [0, 2000000000]})").find("2000000001 features, and groups that mention 2"),
      std::string::npos);
  EXPECT_NE(
      message(R"({"features": 4000000000, "tree": {"name": "a", "features": [0]}})").find("groups that mention 1"),
      std::string::npos);
  EXPECT_NE(message(R"({"features": 3, "tree": {"name": "a", "features": [0]}})", words)
                .find("a tree of 3 features, and the data have 6"),
            std::string::npos);
  EXPECT_NE(message(R"({"features": ["coin"], "tree": {"name": "a", "features": [0]}})", words)
                .find("a tree of 1 features, and the data have 6"),
            std::string::npos);
  EXPECT_NE(message(R"({"features": ["coin", "gold"], "tree": {"name": "a"}})", words)
                .find("feature 2 is 'gold', in the data 'cash'"),
            std::string::npos);
  EXPECT_NE(
      message(
          R"({"name": "r", "children": [{"name": "a", "features": ["coin"]}, {"name": "b", "features": ["coin"]}]})",
          words)
          .find("groups 'a' and 'b' overlap: both have feature 'coin'"),
      std::string::npos);
  EXPECT_NE(message(R"({"name": "r", "children": [{"name": "a"}]})", words).find("group 'a' has no features"),
            std::string::npos);
}

}  // namespace
}  // namespace clade
