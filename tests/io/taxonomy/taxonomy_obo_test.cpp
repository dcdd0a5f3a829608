#include "io/taxonomy/taxonomy_support.h"

namespace clade::testing {
namespace {

constexpr std::string_view kExample = R"(format-version: 1.2
ontology: test ! a comment

[Term]
id: T:2 ! defined before its parent
name: part
is_a: T:1 {source="x ! y"} ! whole
relationship: part_of T:1 ! stated both ways
relationship: regulates T:3
xref: A:1

! a comment line
[Term]
id: T:1
name: whole
alt_id: T:9
def: "Something {odd} ! with: marks." [A:1]

[Term]
id: T:3
is_a: T:1
is_a: T:2

[Term]
id: T:4
is_a: T:77 ! edges of an obsolete term do not count
is_obsolete: true

[Typedef]
id: part_of
name: part of
is_a: nothing
is_transitive: true
)";

TEST(Obo, ReadsTermsAndTheirEdges) {
  const Read read = read_text(read_obo, kExample);
  EXPECT_EQ(outline(read.taxonomy), "T:1; T:2<T:1; T:3<T:1,T:2");
  EXPECT_EQ(read.taxonomy.input_position(0), 1);
  ASSERT_EQ(read.notes.size(), 2U);
  EXPECT_EQ(read.notes[0], "1 obsolete terms skipped");
  EXPECT_EQ(read.notes[1], "1 relationships other than is_a and part_of ignored");
}

TEST(Obo, SeveralRootsGetAVirtualOne) {
  EXPECT_EQ(outline_of(read_obo, "[Term]\nid: a\n[Term]\nid: b\n[Term]\nid: c\nis_a: b\n"),
            "(root)*; a<(root); b<(root); c<b");
  EXPECT_EQ(outline_of(read_obo, "[Term]\nid: a"), "a");
}

TEST(Obo, EscapesCrlfAndByteOrderMark) {
  EXPECT_EQ(outline_of(read_obo,
                       "\xEF\xBB\xBF[Term] ! x\r\nid: a\\Wb\\!\\{\\\\ ! c\r\n\r\n[Term]\r\nid: c d\r\nis_a: "
                       "a\\Wb\\!\\{\\\\ {x}\r\n"),
            "a b!{\\; c d<a b!{\\");
}

TEST(Obo, RefusesUnknownAndObsoleteParents) {
  expect_error(read_obo, "[Term]\nid: a\n\n[Term]\nid: b\nis_a: x ! nowhere\n", 6, 0, "parent 'x' is not defined");
  expect_error(read_obo, "[Term]\nid: a\nrelationship: part_of x\n", 3, 0, "parent 'x' is not defined");
  expect_error(read_obo, "[Term]\nid: a\nis_a: b\n[Term]\nid: b\nis_obsolete: true\n", 3, 0, "parent 'b' is obsolete");
  // An alternative id is no definition.
  expect_error(read_obo, "[Term]\nid: a\nalt_id: z\n[Term]\nid: b\nis_a: z\n", 6, 0, "parent 'z' is not defined");
}

TEST(Obo, RefusesTermsDefinedTwiceOrWithoutId) {
  expect_error(read_obo, "[Term]\nid: a\n\n[Term]\nid: a\n", 4, 0, "'a' is defined twice");
  expect_error(read_obo, "[Term]\nid: a\nis_obsolete: true\n[Term]\nid: a\n", 4, 0, "'a' is defined twice");
  expect_error(read_obo, "[Term]\nid: a\nid: b\n", 3, 0, "a second id");
  expect_error(read_obo, "[Term]\nid: a\n\n[Term]\nname: x\n", 4, 0, "a term without an id");
  expect_error(read_obo, "[Term]\nid: ! x\n", 2, 0, "an empty id");
}

TEST(Obo, RefusesBrokenLines) {
  expect_error(read_obo, "[Term]\nid: a\njust words\n", 3, 0, "a line without a colon");
  expect_error(read_obo, "[Term]\nid: a\n[Term\n", 3, 0, "a stanza name that is not closed");
  expect_error(read_obo, "[Term]\nid: a\nis_a: ! x\n", 3, 0, "an empty parent");
  expect_error(read_obo, "[Term]\nid: a\nrelationship: part_of\n", 3, 0, "a relationship without an id");
}

TEST(Obo, RefusesSelfParentsAndCycles) {
  expect_error(read_obo, "[Term]\nid: a\nis_a: a\n", 3, 0, "'a' is its own parent");
  expect_error(read_obo, "[Term]\nid: a\nis_a: b\n[Term]\nid: b\nis_a: a\n", 6, 0, "cycle: 'b' -> 'a' -> 'b'");
}

TEST(Obo, RefusesFilesWithoutATermAndBytesThatAreNotUtf8) {
  expect_error(read_obo, "", 0, 0, "no node");
  expect_error(read_obo, "format-version: 1.2\n[Typedef]\nid: x\n", 0, 0, "no node");
  expect_error(read_obo, "[Term]\nid: a\nis_obsolete: true\n", 0, 0, "no node");
  expect_error(read_obo, "[Term]\nid: a\nname: \xE9\n", 3, 7, "not UTF-8");
  EXPECT_EQ(outline_of(read_obo, "[Term]\nid: \xE9\n", with_encoding(Encoding::kLatin1)), "\xC3\xA9");
}

TEST(Obo, HugeLine) {
  const std::string id = many(20'000'000, 'x');
  EXPECT_EQ(read_text(read_obo, "[Term]\nid: " + id + "\n[Term]\nid: b\nis_a: " + id).taxonomy.name(0), id);
}

TEST(Obo, WritesTerms) {
  const Taxonomy taxonomy = read_text(read_obo, kExample).taxonomy;
  EXPECT_EQ(write_text(write_obo, taxonomy),
            "format-version: 1.2\n"
            "\n[Term]\nid: T:2\nname: T:2\nis_a: T:1\n"
            "\n[Term]\nid: T:1\nname: T:1\n"
            "\n[Term]\nid: T:3\nname: T:3\nis_a: T:1\nis_a: T:2\n");
}

TEST(Obo, RefusesNamesThatEndInControlBlanks) {
  TaxonomyBuilder builder;
  builder.edge("r", "a\r");
  expect_not_written(write_obo, builder.build(), "OBO cannot hold the name");
}

TEST(Obo, LooksLikeIt) {
  EXPECT_TRUE(looks_like_obo("format-version: 1.4\n"));
  EXPECT_TRUE(looks_like_obo("! x\r\n[Term]\r\nid: a"));
  EXPECT_FALSE(looks_like_obo("[{\"name\": \"a\"}]"));
  EXPECT_FALSE(looks_like_obo("a,b\n"));
}

}  // namespace
}  // namespace clade::testing
