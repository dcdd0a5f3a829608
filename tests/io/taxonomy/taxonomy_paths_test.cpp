#include "io/taxonomy/taxonomy_support.h"

namespace clade::testing {
namespace {

TEST(LabelPaths, NamesEveryNodeByItsWholePath) {
  EXPECT_EQ(outline_of(read_label_paths, "a/b/c\na/d\ne\na/b\n"),
            "(root)*; a<(root); e<(root); a/b<a; a/d<a; a/b/c<a/b");
}

TEST(LabelPaths, ImpliesARootAboveASinglePath) {
  EXPECT_EQ(outline_of(read_label_paths, "a/b\n"), "(root)*; a<(root); a/b<a");
}

TEST(LabelPaths, TheLastPartNeedNotBeUnique) {
  EXPECT_EQ(outline_of(read_label_paths, "1/1\n2/1\n"), "(root)*; 1<(root); 2<(root); 1/1<1; 2/1<2");
}

TEST(LabelPaths, SeparatorOfSeveralCharactersIsCutFromTheLeft) {
  EXPECT_EQ(outline_of(read_label_paths, "CCAT--C15--C152\nCCAT--C15\n", with_separator("--")),
            "(root)*; CCAT<(root); CCAT--C15<CCAT; CCAT--C15--C152<CCAT--C15");
  EXPECT_EQ(outline_of(read_label_paths, "a---b\n", with_separator("--")), "(root)*; a<(root); a---b<a");
  expect_error(read_label_paths, "a\n", 1, 1, "an empty part", with_separator("a"));
}

TEST(LabelPaths, BlankLinesCrlfAndByteOrderMark) {
  EXPECT_EQ(outline_of(read_label_paths,
                       "\xEF\xBB\xBF"
                       "a/b \r\n\r\n  a/c d\r"),
            "(root)*; a<(root); a/b<a; a/c d<a");
}

TEST(LabelPaths, RefusesEmptyParts) {
  expect_error(read_label_paths, "a/b\n/a\n", 2, 1, "an empty part");
  expect_error(read_label_paths, "a/b\na//c\n", 2, 3, "an empty part");
  expect_error(read_label_paths, "a/b\n\n a/\n", 3, 4, "an empty part");
}

TEST(LabelPaths, RefusesEmptyFilesAndBytesThatAreNotUtf8) {
  expect_error(read_label_paths, "", 0, 0, "no node");
  expect_error(read_label_paths, "\n \n", 0, 0, "no node");
  expect_error(read_label_paths, "a/b\na/\xE9\n", 2, 3, "not UTF-8");
}

TEST(LabelPaths, SeparatorsWithBlanksAreRecognised) {
  EXPECT_EQ(outline_of(read_label_paths, "a > b/c\na > d\n", with_separator("")),
            "(root)*; a<(root); a > b/c<a; a > d<a");
  EXPECT_EQ(outline_of(read_label_paths, "a/b|c\na/d|c\nx|y", with_separator("")),
            "(root)*; a<(root); x|y<(root); a/b|c<a; a/d|c<a");
  EXPECT_EQ(outline_of(read_label_paths, "a|b\na|c\n", with_separator("")), "(root)*; a|b<(root); a|c<(root)");
}

TEST(LabelPaths, HugeLine) {
  const std::string part = many(20'000'000, 'x');
  EXPECT_EQ(read_text(read_label_paths, "a/" + part + "\nb").taxonomy.size(), 4);
}

TEST(LabelPaths, MemoryOfDeepPathsIsBounded) {
  std::string deep = "a";
  for (int k = 0; k < 100'000; ++k) deep += "/a";
  expect_error(read_label_paths, "b\n" + deep, 2, 1, "paths of too many parts");
}

TEST(LabelPaths, ManyLongPathsThatShareTheirBeginningStayLinear) {
  std::string above = "a";
  for (int k = 0; k < 300; ++k) above += "/a";
  std::string text;
  for (int k = 0; k < 5'000; ++k) text += above + "/" + std::to_string(k) + "\n";
  const Taxonomy taxonomy = read_text(read_label_paths, text).taxonomy;
  EXPECT_EQ(taxonomy.size(), 1 + 301 + 5'000);
  EXPECT_EQ(taxonomy.longest_path(), 302);
}

TEST(LabelPaths, WritesOneLinePerPathThatNoOtherImplies) {
  const std::string text = "a/b/c\na/d\ne\n";
  EXPECT_EQ(write_text(write_label_paths, read_text(read_label_paths, text).taxonomy), text);
  const Taxonomy dashed = read_text(read_label_paths, "a--b\nc\n", with_separator("--")).taxonomy;
  EXPECT_EQ(write_text(write_label_paths, dashed, written_with_separator("--")), "a--b\nc\n");
}

TEST(LabelPaths, RefusesHierarchiesWhoseNamesAreNotPaths) {
  const auto refuse = [](std::initializer_list<std::pair<const char*, const char*>> edges, const char* message) {
    TaxonomyBuilder builder;
    builder.imply_root();
    for (const auto& [parent, child] : edges) builder.edge(parent, child);
    expect_not_written(write_label_paths, builder.build(), message);
  };
  refuse({{"a", "b"}}, "cannot hold the node 'b'");
  refuse({{"a", "a/"}}, "cannot hold the node 'a/'");
  refuse({{"a", "a/b/c"}}, "cannot hold the node 'a/b/c'");
  refuse({{"a", "a/b"}, {"c", "a/b"}}, "cannot hold the node 'a/b'");
  refuse({{"x/y", "x/y/z"}}, "cannot hold the node 'x/y'");
  refuse({{"a", "a/b "}}, "cannot hold the node 'a/b '");
  TaxonomyBuilder rooted;
  rooted.edge("a", "a/b");
  expect_not_written(write_label_paths, rooted.build(), "cannot hold the root 'a'");
  expect_not_written(write_label_paths, flat_taxonomy({}), "a root alone");
  TaxonomyBuilder overlapping;
  overlapping.imply_root();
  overlapping.edge("a-", "a---b");
  expect_not_written(write_label_paths, overlapping.build(), "cannot hold the node", written_with_separator("--"));
}

TEST(LabelPaths, LooksLikeThemIfLinesHoldSlashesAndAreNoPairs) {
  EXPECT_TRUE(looks_like_label_paths("a/b/c\na/d\n"));
  EXPECT_TRUE(looks_like_label_paths("Computer science/Machine learning\nArts\n"));
  EXPECT_FALSE(looks_like_label_paths("HIV/AIDS Medical\nCS Root\n"));
  EXPECT_FALSE(looks_like_label_paths("a/b,c\n"));
  EXPECT_FALSE(looks_like_label_paths("# see a/b\na b\n"));
  EXPECT_FALSE(looks_like_label_paths("0 1\n"));
  EXPECT_FALSE(looks_like_label_paths(""));
}

}  // namespace
}  // namespace clade::testing
