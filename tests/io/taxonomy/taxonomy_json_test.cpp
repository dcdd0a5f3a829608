#include <nlohmann/json.hpp>

#include "io/taxonomy/taxonomy_support.h"

namespace clade::testing {
namespace {

TEST(NestedJson, ReadsNameAndChildren) {
  EXPECT_EQ(outline_of(read_nested_json, R"({"name": "r", "children": [
    {"name": "a", "children": [{"name": "c"}, "d"]},
    {"name": "b", "children": []}]})"),
            "r; a<r; b<r; c<a; d<a");
}

TEST(NestedJson, FieldsMayStandInAnyOrder) {
  EXPECT_EQ(outline_of(read_nested_json, R"({"children": [{"children": [{"name": "c"}], "name": "a"}], "name": "r"})"),
            "r; a<r; c<a");
}

TEST(NestedJson, ReadsPlainObjectsAndLists) {
  EXPECT_EQ(outline_of(read_nested_json, R"({"a": {"b": {}, "c": null}})"), "a; b<a; c<a");
  EXPECT_EQ(outline_of(read_nested_json, R"({"a": ["b", "c", {"d": ["e"]}]})"), "a; b<a; c<a; d<a; e<d");
  EXPECT_EQ(outline_of(read_nested_json, R"({"a": {"b": {}}, "c": []})"), "(root)*; a<(root); c<(root); b<a");
  EXPECT_EQ(outline_of(read_nested_json, R"([{"name": "a"}, "b", {"c": {}, "d": {}}])"),
            "(root)*; a<(root); b<(root); c<(root); d<(root)");
  EXPECT_EQ(outline_of(read_nested_json, R"({"name": "r", "children": {"a": ["b"], "c": {}}})"), "r; a<r; c<r; b<a");
  EXPECT_EQ(outline_of(read_nested_json, R"({"a": {"name": "b", "children": ["c"]}})"), "a; b<a; c<b");
}

TEST(NestedJson, FieldNamesCanBeNodesOfPlainObjects) {
  EXPECT_EQ(outline_of(read_nested_json, R"({"name": {"children": {}, "x": {}}})"), "name; children<name; x<name");
}

TEST(NestedJson, ANodeUnderSeveralParentsHasSeveralAndItsChildrenAreMerged) {
  EXPECT_EQ(outline_of(read_nested_json, R"({"r": {"a": {"x": ["y", "z"]}, "b": {"x": ["z", "w"]}}})"),
            "r; a<r; b<r; x<a,b; y<x; z<x; w<x");
  EXPECT_EQ(outline_of(read_nested_json, R"({"r": {"a": ["x"], "b": [{"name": "x", "children": ["y"]}]}})"),
            "r; a<r; b<r; x<a,b; y<x");
}

TEST(NestedJson, CountsFieldsItDoesNotKnow) {
  const Read read =
      read_text(read_nested_json, R"({"name": "r", "size": 3, "children": [{"name": "a", "x": {"name": "q"}}]})");
  EXPECT_EQ(outline(read.taxonomy), "r; a<r");
  ASSERT_EQ(read.notes.size(), 1U);
  EXPECT_EQ(read.notes[0], "2 fields beside name and children ignored (the first: 'size')");
}

TEST(NestedJson, InputPositionGivesTheOrder) {
  EXPECT_EQ(outline_of(read_nested_json, R"([{"name": "b", "input_position": 1}, {"name": "a", "input_position": 0}])"),
            "(root)*; a<(root); b<(root)");
}

TEST(NestedJson, EscapesAndByteOrderMark) {
  EXPECT_EQ(outline_of(read_nested_json, "\xEF\xBB\xBF{\"r\": [\"\\u00e9\\n\\\"x\\\"\"]}\r\n"), "r; \xC3\xA9\n\"x\"<r");
}

TEST(NestedJson, RefusesWhatIsNoNodeWithLineAndColumn) {
  expect_error(read_nested_json, "{\"a\": [\n  \"b\", 7]}", 2, 8, "neither a name nor an object");
  expect_error(read_nested_json, "{\"a\": [\n  \"b\",\n ['c']]}", 3, 3, "not well-formed JSON");
  expect_error(read_nested_json, "{\"a\": [\n [\"c\"]]}", 2, 2, "neither a name nor an object");
  expect_error(read_nested_json, "{\"a\": [null]}", 1, 8, "neither a name nor an object");
  expect_error(read_nested_json, "{\"a\":\n {\"b\": \"c\"}}", 2, 8, "neither a list nor an object");
  expect_error(read_nested_json, "{\"a\": true}", 1, 7, "neither a list nor an object");
  expect_error(read_nested_json, "{\"name\": \"a\", \"children\": \"b\"}", 1, 27, "neither a list nor an object");
  expect_error(read_nested_json, "{\"name\": \"a\", \"name\": \"b\"}", 1, 23, "given twice");
  expect_error(read_nested_json, "\"a\"", 1, 1, "without an object or a list");
  expect_error(read_nested_json, "17", 1, 1, "without an object or a list");
}

TEST(NestedJson, ColumnsCountCharactersNotBytes) {
  expect_error(read_nested_json, "{\"\xC3\xA9\xC3\xA9\": [7]}", 1, 9, "neither a name nor an object");
}

TEST(NestedJson, RefusesEmptyNames) {
  expect_error(read_nested_json, "{\"a\": [\"\"]}", 1, 8, "an empty name");
  expect_error(read_nested_json, "{\"a\": {\n\"\": {}}}", 2, 1, "an empty name");
  expect_error(read_nested_json, "{\"name\": \"\"}", 1, 10, "an empty name");
}

TEST(NestedJson, RefusesANodeTwiceInOneList) {
  expect_error(read_nested_json, "{\"a\": [\"b\",\n\"b\"]}", 2, 1, "'b' stands twice in one list");
  expect_error(read_nested_json, "{\"a\": {\"b\": [],\n \"b\": []}}", 2, 2, "'b' stands twice in one list");
  expect_error(read_nested_json, "[{\"name\": \"a\"}, {\"name\": \"a\"}]", 1, 26, "'a' stands twice in one list");
}

TEST(NestedJson, RefusesCyclesAndSelfParents) {
  expect_error(read_nested_json, "{\"r\": {\"a\": {\n\"b\": {\n\"a\": {}}}}}", 3, 0, "cycle: 'a' -> 'b' -> 'a'");
  expect_error(read_nested_json, "{\"a\":\n {\"a\": {}}}", 2, 0, "'a' is its own parent");
}

TEST(NestedJson, RefusesCorruptJson) {
  expect_error(read_nested_json, "{\"a\":\n {\"b\" {}}}", 2, 7, "not well-formed JSON");
  expect_error(read_nested_json, "{\"a\": {}} x", 1, 11, "not well-formed JSON");
  expect_error(read_nested_json, "{\"a\": {}}{}", 1, 10, "not well-formed JSON");
  expect_error(read_nested_json, "{\"a\": \"\\ud800\"}", 1, 0, "not well-formed JSON");
  expect_error(read_nested_json, "{\"a\": 1e999}", 1, 0, "not well-formed JSON");
  expect_error(read_nested_json, "// x\n{}", 1, 0, "not well-formed JSON");
  expect_error(read_nested_json, "{\"a\": tru}", 1, 0, "not well-formed JSON");
}

TEST(NestedJson, EveryTruncationIsAnError) {
  const std::string text =
      "{\"name\": \"r\\u00e9\", \"children\": [\"b\", {\"c\": null}, {\"d\": [\"e\"]}], \"x\": [1, -2.5, true]}";
  EXPECT_EQ(read_text(read_nested_json, text).taxonomy.size(), 5);
  for (std::size_t length = 1; length < text.size(); ++length) {
    expect_error(read_nested_json, text.substr(0, length), 1, 0, "not well-formed JSON");
  }
  expect_error(read_nested_json, "", 1, 1, "not well-formed JSON");
}

TEST(NestedJson, RefusesTextsWithoutANodeAndBytesThatAreNotUtf8) {
  expect_error(read_nested_json, "{}", 0, 0, "no node");
  expect_error(read_nested_json, "[]", 0, 0, "no node");
  expect_error(read_nested_json, "{\"a\":\n[\"\xFF\"]}", 2, 3, "not UTF-8");
}

std::string nested(std::size_t levels) {
  std::string text;
  for (std::size_t k = 0; k < levels; ++k) text += "{\"" + std::to_string(k) + "\":";
  text += "null";
  text.append(levels, '}');
  return text;
}

TEST(NestedJson, DeepNestingIsReadWithoutRecursionUpToALimit) {
  EXPECT_EQ(read_text(read_nested_json, nested(100'000)).taxonomy.longest_path(), 99'999);
  expect_error(read_nested_json, nested(100'001), 1, 0, "nested too deeply");
  expect_error(read_nested_json, many(10'000'000, '['), 1, 100'001, "nested too deeply");
}

TEST(NestedJson, HugeLine) {
  std::string text = "{\"r\": [\"x\"";
  for (int k = 0; k < 300'000; ++k) text += ",\"child " + std::to_string(k) + "\"";
  EXPECT_EQ(read_text(read_nested_json, text + "]}").taxonomy.size(), 300'002);
  expect_error(read_nested_json, text, 1, 0, "not well-formed JSON");
}

TEST(NestedJson, WritesOneNodePerLine) {
  const Taxonomy tree = read_text(read_nested_json, R"({"r": {"a": ["c"], "b": {}}})").taxonomy;
  EXPECT_EQ(write_text(write_nested_json, tree),
            "{\"name\": \"r\", \"children\": [\n"
            " {\"name\": \"a\", \"children\": [\n"
            "  {\"name\": \"c\"}]},\n"
            " {\"name\": \"b\"}]}\n");
}

TEST(NestedJson, WritesSeveralRootsAsAList) {
  const Taxonomy forest = read_text(read_nested_json, R"({"a": ["c"], "b": {}})").taxonomy;
  EXPECT_EQ(write_text(write_nested_json, forest),
            "[{\"name\": \"a\", \"children\": [\n {\"name\": \"c\"}]},\n{\"name\": \"b\"}]\n");
}

TEST(NestedJson, WritesANodeOfSeveralParentsUnderEachWithItsChildrenOnce) {
  const Taxonomy dag = read_text(read_nested_json, R"({"r": {"a": {"x": ["y"]}, "b": ["x"]}})").taxonomy;
  EXPECT_EQ(write_text(write_nested_json, dag),
            "{\"name\": \"r\", \"children\": [\n"
            " {\"name\": \"a\", \"children\": [\n"
            "  {\"name\": \"x\", \"children\": [\n"
            "   {\"name\": \"y\"}]}]},\n"
            " {\"name\": \"b\", \"children\": [\n"
            "  {\"name\": \"x\"}]}]}\n");
}

TEST(NestedJson, WritesPositionsOnlyWhereNestingChangesTheOrder) {
  // Breadth first, as child lists name the nodes: siblings keep their order, so nothing is lost.
  TaxonomyBuilder tree;
  for (const auto& [parent, child] : {std::pair("r", "a"), {"r", "b"}, {"a", "c"}, {"b", "d"}, {"a", "e"}}) {
    tree.edge(parent, child);
  }
  EXPECT_EQ(write_text(write_nested_json, tree.build()).find("input_position"), std::string::npos);
  // Below b, y was named before x; nesting meets x first, below a.
  TaxonomyBuilder dag;
  for (const auto& [parent, child] : {std::pair("r", "a"), {"r", "b"}, {"b", "y"}, {"b", "x"}, {"a", "x"}}) {
    dag.edge(parent, child);
  }
  const Taxonomy taxonomy = dag.build();
  const std::string text = write_text(write_nested_json, taxonomy);
  EXPECT_NE(text.find("input_position"), std::string::npos);
  EXPECT_TRUE(read_text(read_nested_json, text).taxonomy == taxonomy);
}

TEST(NestedJson, DeepChainsAreWrittenInLinearSpaceUpToTheLimit) {
  const auto chain = [](int levels) {
    TaxonomyBuilder builder;
    for (int k = 1; k < levels; ++k) builder.edge(std::to_string(k - 1), std::to_string(k));
    return builder.build();
  };
  const Taxonomy deep = chain(50'000);
  const std::string text = write_text(write_nested_json, deep);
  EXPECT_LT(text.size(), 5'000'000U);
  EXPECT_TRUE(read_text(read_nested_json, text).taxonomy == deep);
  expect_not_written(write_nested_json, chain(50'001), "so many levels");
}

// Another parser reads what is written, and finds the edges.
void collect_edges(const nlohmann::json& node, std::vector<std::pair<std::string, std::string>>& edges) {
  if (!node.contains("children")) return;
  for (const auto& child : node["children"]) {
    edges.emplace_back(node["name"], child["name"]);
    collect_edges(child, edges);
  }
}

TEST(NestedJson, AnotherParserFindsTheSameEdges) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream random(seed, {kTestStream, 1});
    const RandomShape shape{.nodes = 1 + static_cast<NodeId>(random.below(30)), .most_parents = 3, .root_share = 0.1};
    const Taxonomy taxonomy = random_taxonomy(random, shape, [&](NodeId k) { return hard_name(random, k); });
    const auto parsed = nlohmann::json::parse(write_text(write_nested_json, taxonomy));
    std::vector<std::pair<std::string, std::string>> found;
    if (parsed.is_array()) {
      for (const auto& root : parsed) {
        found.emplace_back(taxonomy.name(0), root["name"]);
        collect_edges(root, found);
      }
    } else {
      collect_edges(parsed, found);
    }
    std::vector<std::pair<std::string, std::string>> expected;
    for (NodeId node = 0; node < taxonomy.size(); ++node) {
      for (const NodeId child : taxonomy.children(node))
        expected.emplace_back(taxonomy.name(node), taxonomy.name(child));
    }
    std::ranges::sort(found);
    std::ranges::sort(expected);
    EXPECT_EQ(found, expected) << "seed " << seed;
  }
}

TEST(NestedJson, LooksLikeIt) {
  EXPECT_TRUE(looks_like_nested_json("\xEF\xBB\xBF \n{ \"a\": {}}"));
  EXPECT_TRUE(looks_like_nested_json("[{\"name\": 1"));
  EXPECT_TRUE(looks_like_nested_json("{"));
  EXPECT_FALSE(looks_like_nested_json("[Term]\nid: x\n"));
  EXPECT_FALSE(looks_like_nested_json("{a},b\n"));
  EXPECT_FALSE(looks_like_nested_json(""));
}

}  // namespace
}  // namespace clade::testing
