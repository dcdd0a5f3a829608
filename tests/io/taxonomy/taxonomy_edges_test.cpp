#include "io/taxonomy/taxonomy_support.h"

namespace clade::testing {
namespace {

TEST(EdgeList, ReadsCommasTabsAndBlanks) {
  const std::string expected = "r; a<r; b<r; c<a";
  EXPECT_EQ(outline_of(read_edge_list, "child,parent\na,r\nb,r\nc,a\n"), expected);
  EXPECT_EQ(outline_of(read_edge_list, "a\tr\nb\tr\nc\ta"), expected);
  EXPECT_EQ(outline_of(read_edge_list, "a  r\n b r \nc\t a\n"), "r; a<r; b<r; c<a");
}

TEST(EdgeList, HeaderDecidesTheOrderWhateverTheOptionSays) {
  const ReadOptions parent_child = with_edges(EdgeOrder::kParentChild);
  EXPECT_EQ(outline_of(read_edge_list, "Child,PARENT\na,r\n", parent_child), "r; a<r");
  EXPECT_EQ(outline_of(read_edge_list, "parent,child\nr,a\nr,b\n"), "r; a<r; b<r");
  EXPECT_EQ(outline_of(read_edge_list, "parent child\nr a\nr b\n"), "r; a<r; b<r");
}

TEST(EdgeList, OptionDecidesWithoutHeader) {
  EXPECT_EQ(outline_of(read_edge_list, "r,a\nr,b\n", with_edges(EdgeOrder::kParentChild)), "r; a<r; b<r");
  EXPECT_EQ(outline_of(read_edge_list, "r,a\nr,b\n", with_edges(EdgeOrder::kChildParent)),
            "(root)*; a<(root); b<(root); r<a,b");
}

TEST(EdgeList, FewerRootsDecideWithoutHeaderAndOption) {
  const Read read = read_text(read_edge_list, "0 1\n0 2\n1 3\n1 4\n");
  EXPECT_EQ(outline(read.taxonomy), "0; 1<0; 2<0; 3<1; 4<1");
  ASSERT_EQ(read.notes.size(), 1U);
  EXPECT_NE(read.notes[0].find("3 roots instead of 1"), std::string::npos) << read.notes[0];
}

TEST(EdgeList, ChildFirstWhereBothReadingsHaveAsManyRoots) {
  const Read read = read_text(read_edge_list, "a b\nb c\n");
  EXPECT_EQ(outline(read.taxonomy), "c; b<c; a<b");
  EXPECT_TRUE(read.notes.empty());
}

TEST(EdgeList, OneNameOnALineIsANode) {
  EXPECT_EQ(outline_of(read_edge_list, "only"), "only");
  EXPECT_EQ(outline_of(read_edge_list, "a,r\nlone\n"), "(root)*; r<(root); lone<(root); a<r");
  // Named alone first, given a parent later: a node, not a root.
  EXPECT_EQ(outline_of(read_edge_list, "r\nb\na,r\nb,r\n"), "r; b<r; a<r");
}

TEST(EdgeList, QuotesCommentsBlankLinesCrlfAndByteOrderMark) {
  EXPECT_EQ(
      outline_of(
          read_edge_list,
          "\xEF\xBB\xBF# classes\r\n\r\nchild,parent\r\n\"a,b\",\"say \"\"r\"\"\"\r\n  # more\r\n x , say\"s\r\n"),
      "(root)*; say \"r\"<(root); say\"s<(root); a,b<say \"r\"; x<say\"s");
  EXPECT_EQ(outline_of(read_edge_list, "\"a b\" \"r s\"\n\"c\"\t\"r s\"\n"), "r s; a b<r s; c<r s");
  EXPECT_EQ(outline_of(read_edge_list, "\"two\nlines\",r\n\" b\",r\r"), "r; two\nlines<r;  b<r");
}

TEST(EdgeList, ATabBeatsACommaBeatsABlankOnTheFirstLineWithAny) {
  EXPECT_EQ(outline_of(read_edge_list, "Arts, Crafts\tr\nx\tr\n"), "r; Arts, Crafts<r; x<r");
  EXPECT_EQ(outline_of(read_edge_list, "Vision\nx y,Vision\n"), "Vision; x y<Vision");
  EXPECT_EQ(outline_of(read_edge_list, "\"Computer vision\"\nx y,Computer vision\n"),
            "Computer vision; x y<Computer vision");
  EXPECT_EQ(outline_of(read_edge_list, "\"a,b\"\tr\n"), "r; a,b<r");
  // A name of two words alone on the first line makes blanks the separator: said, not guessed around.
  expect_error(read_edge_list, "Computer vision\nx y,Computer vision\n", 2, 1, "3 columns instead of 2");
}

TEST(EdgeList, FurtherColumnsNeedAHeaderThatNamesTheTwo) {
  EXPECT_EQ(outline_of(read_edge_list, "id,Parent,note,child\n1,r,x,a\n2,a,,b\n"), "r; a<r; b<a");
  expect_error(read_edge_list, "1,r,x\n", 1, 1, "3 columns instead of 2");
  expect_error(read_edge_list, "id,parent,note,child\n1,r,x,a\n2,a,b\n", 3, 1, "3 columns instead of 4");
  expect_error(read_edge_list, "a,r\nb,r,c\n", 2, 1, "3 columns instead of 2");
  expect_error(read_edge_list, "a r\nb r c\n", 2, 1, "3 columns instead of 2");
}

TEST(EdgeList, RefusesEmptyNames) {
  expect_error(read_edge_list, "a,r\n,r\n", 2, 1, "an empty name");
  expect_error(read_edge_list, "a,r\nb,\n", 2, 3, "an empty name");
  expect_error(read_edge_list, "a,r\r\nb, \r\n", 2, 0, "an empty name");
  expect_error(read_edge_list, "a,r\n\"\",r\n", 2, 1, "an empty name");
  expect_error(read_edge_list, "a,r\n\"\"\n", 2, 1, "an empty name");
}

TEST(EdgeList, RefusesBrokenQuotes) {
  expect_error(read_edge_list, "a,r\nb,\"r\nc,r\n", 2, 3, "a quote that is not closed");
  expect_error(read_edge_list, "a,r\n\"b\"x,r\n", 2, 4, "text behind a closing quote");
  expect_error(read_edge_list, "\"b\"x r\n", 1, 4, "text behind a closing quote");
}

TEST(EdgeList, LineNumbersCountQuotedLineEndsAndComments) {
  expect_error(read_edge_list, "# one\n\"a\nb\",r\n\n,x\n", 5, 1, "an empty name");
  expect_error(read_edge_list, "\"a\nb\",r\nc,c\n", 3, 0, "'c' is its own parent");
}

TEST(EdgeList, RefusesSelfParentsRepeatedEdgesAndCycles) {
  expect_error(read_edge_list, "a,r\nb,b\n", 2, 0, "node 'b' is its own parent");
  expect_error(read_edge_list, "a,r\nb,r\n\na,r\n", 4, 0, "edge from 'r' to 'a' is given twice");
  expect_error(read_edge_list, "child,parent\na,r\nb,a\nc,b\na,c\n", 5, 0, "'a' -> 'b' -> 'c' -> 'a'");
}

TEST(EdgeList, RefusesEmptyFiles) {
  for (const char* text : {"", "\n\n", "# nothing\n", "child,parent\n", "\xEF\xBB\xBF"}) {
    expect_error(read_edge_list, text, 0, 0, "no node");
  }
}

TEST(EdgeList, RefusesBytesThatAreNotUtf8UnlessLatin1IsAsked) {
  expect_error(read_edge_list, "a,r\n\xC3\xA9t\xE9,r\n", 2, 3, "not UTF-8");
  EXPECT_EQ(outline_of(read_edge_list, "\xE9t\xE9,r\n", with_encoding(Encoding::kLatin1)), "r; \xC3\xA9t\xC3\xA9<r");
}

TEST(EdgeList, HugeLine) {
  const std::string name = many(30'000'000, 'x');
  EXPECT_EQ(read_text(read_edge_list, name + ",r\n").taxonomy.find(name), NodeId{1});
  expect_error(read_edge_list, "a,r\n" + many(1'000'000, ','), 2, 1, "1000001 columns");
}

TEST(EdgeList, ManyRecordsOverALongTextStayLinear) {
  std::string text;
  for (int k = 1; k < 200'000; ++k) text += "\"n" + std::to_string(k) + "\",n" + std::to_string(k / 2) + "\n";
  const Taxonomy taxonomy = read_text(read_edge_list, text).taxonomy;
  EXPECT_EQ(taxonomy.size(), 200'000);
  EXPECT_TRUE(taxonomy.is_tree());
}

TEST(EdgeList, WritesAHeaderAndPlainLines) {
  const Taxonomy taxonomy = read_text(read_edge_list, "a,r\nb,r\nc,a\nc,b\nlone\n").taxonomy;
  EXPECT_EQ(write_text(write_edge_list, taxonomy), "child,parent\na,r\nb,r\nc,a\nlone\nc,b\n");
  EXPECT_EQ(write_text(write_edge_list, taxonomy, parents_first()), "parent,child\na\nr,a\nr,b\na,c\nlone\nb,c\n");
}

TEST(EdgeList, WritesParentsFirstFilesAsTheyCame) {
  const std::string text = "parent,child\nr,a\nr,b\na,c\nb,d\n";
  EXPECT_EQ(write_text(write_edge_list, read_text(read_edge_list, text).taxonomy, parents_first()), text);
}

TEST(EdgeList, QuotesWhatNeedsQuotes) {
  TaxonomyBuilder builder;
  builder.edge("#r", "a \"b\", c");
  builder.edge("#r", " x");
  EXPECT_EQ(write_text(write_edge_list, builder.build()),
            "child,parent\n\"#r\"\n\"a \"\"b\"\", c\",\"#r\"\n\" x\",\"#r\"\n");
}

TEST(EdgeList, LooksLikeOneIfAHeaderNamesTheColumns) {
  EXPECT_TRUE(looks_like_edge_list("# x\nParent\tchild\tweight\n"));
  EXPECT_TRUE(looks_like_edge_list("\xEF\xBB\xBF\"child\",\"parent\"\r\n"));
  EXPECT_FALSE(looks_like_edge_list("a,b\n"));
  EXPECT_FALSE(looks_like_edge_list("child,parent,child\n"));
  EXPECT_FALSE(looks_like_edge_list(""));
}

}  // namespace
}  // namespace clade::testing
