#include "io/taxonomy/taxonomy_support.h"

namespace clade::testing {
namespace {

constexpr std::string_view kExample =
    "Root\tCS\tMedical\n"
    "CS\tComputer vision\tC/C++\n"
    "Medical\tAlzheimer's Disease\tHIV/AIDS\tX-rays\n";

TEST(ChildLists, ReadsAParentAndItsChildrenPerLine) {
  EXPECT_EQ(outline_of(read_child_lists, kExample),
            "Root; CS<Root; Medical<Root; Computer vision<CS; C/C++<CS; Alzheimer's Disease<Medical; HIV/AIDS<Medical; "
            "X-rays<Medical");
}

TEST(ChildLists, AParentMayHaveSeveralLinesAndANodeSeveralParents) {
  EXPECT_EQ(outline_of(read_child_lists, "r\ta\nr\tb\na\tc\nb\tc\n"), "r; a<r; b<r; c<a,b");
}

TEST(ChildLists, ALineOfOneNameStatesANode) {
  EXPECT_EQ(outline_of(read_child_lists, "only\n"), "only");
  EXPECT_EQ(outline_of(read_child_lists, "a\tb\nc\n"), "(root)*; a<(root); c<(root); b<a");
}

TEST(ChildLists, BlankLinesCrlfByteOrderMarkAndBlanksAroundNames) {
  EXPECT_EQ(outline_of(read_child_lists, "\xEF\xBB\xBFr\ta \t b\r\n\r\n  \t \r\n#x\ty\r"),
            "(root)*; r<(root); #x<(root); a<r; b<r; y<#x");
}

TEST(ChildLists, RefusesEmptyNames) {
  expect_error(read_child_lists, "r\ta\nb\t\tc\n", 2, 3, "an empty name");
  expect_error(read_child_lists, "r\ta\t\n", 1, 5, "an empty name");
  expect_error(read_child_lists, "r\ta\n\tc\n", 2, 1, "an empty name");
}

TEST(ChildLists, RefusesSelfParentsRepeatedEdgesAndCycles) {
  expect_error(read_child_lists, "r\ta\na\ta\n", 2, 0, "'a' is its own parent");
  expect_error(read_child_lists, "r\ta\tb\n\na\tc\tc\n", 3, 0, "edge from 'a' to 'c' is given twice");
  expect_error(read_child_lists, "r\ta\tb\na\tc\nr\ta\n", 3, 0, "edge from 'r' to 'a' is given twice");
  expect_error(read_child_lists, "r\ta\na\tb\nb\ta\n", 3, 0, "cycle: 'a' -> 'b' -> 'a'");
}

TEST(ChildLists, RefusesEmptyFilesAndBytesThatAreNotUtf8) {
  expect_error(read_child_lists, "", 0, 0, "no node");
  expect_error(read_child_lists, " \n\t\n", 0, 0, "no node");
  expect_error(read_child_lists, "r\ta\nb\t\xFF\n", 2, 3, "not UTF-8");
  EXPECT_EQ(outline_of(read_child_lists, "r\t\xFC\n", with_encoding(Encoding::kLatin1)), "r; \xC3\xBC<r");
}

TEST(ChildLists, HugeLine) {
  std::string text = "r";
  for (int k = 0; k < 300'000; ++k) text += "\tchild " + std::to_string(k);
  EXPECT_EQ(read_text(read_child_lists, text).taxonomy.size(), 300'001);
  expect_error(read_child_lists, text + "\t", 1, 0, "an empty name");
}

TEST(ChildLists, WritesFilesAsTheyCame) {
  EXPECT_EQ(write_text(write_child_lists, read_text(read_child_lists, kExample).taxonomy), kExample);
  const std::string depth_first = "r\ta\tb\na\tc\nc\td\nb\te\n";
  EXPECT_EQ(write_text(write_child_lists, read_text(read_child_lists, depth_first).taxonomy), depth_first);
}

TEST(ChildLists, WritesLinearlyWhereParentsTakeTurns) {
  TaxonomyBuilder builder;
  builder.edge("r", "a");
  builder.edge("r", "b");
  for (int k = 0; k < 200'000; ++k) builder.edge(k % 2 == 0 ? "a" : "b", std::to_string(k));
  const Taxonomy taxonomy = builder.build();
  const Taxonomy again = read_text(read_child_lists, write_text(write_child_lists, taxonomy)).taxonomy;
  EXPECT_TRUE(again == taxonomy);
}

TEST(ChildLists, RefusesNamesThatWouldNotComeBack) {
  for (const char* name : {"a\tb", "a\nb", " a", "a ", "a\r", "\xEF\xBB\xBFz"}) {
    TaxonomyBuilder builder;
    builder.edge("r", name);
    expect_not_written(write_child_lists, builder.build(), "child lists cannot hold the name");
  }
}

TEST(ChildLists, LooksLikeThemIfALineHasThreeNames) {
  EXPECT_TRUE(looks_like_child_lists(kExample));
  EXPECT_FALSE(looks_like_child_lists("a\tb\nc\td\n"));
  EXPECT_FALSE(looks_like_child_lists("child\tparent\tnote\na\tb\tc\n"));
  EXPECT_FALSE(looks_like_child_lists(""));
}

}  // namespace
}  // namespace clade::testing
