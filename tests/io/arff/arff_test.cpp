#include "io/arff/arff.h"

#include "io/table_support.h"

namespace clade {
namespace {

using namespace table_test;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::NanSensitiveDoubleEq;

ParsedData arff(std::string_view text, const ReadOptions& options = default_options()) {
  return read_text(read_arff, text, options);
}

std::string with_class(std::string_view entries, std::string_view rows) {
  return "@relation r\n@attribute a numeric\n@attribute class hierarchical " + std::string(entries) + "\n@data\n" +
         std::string(rows);
}

TEST(Arff, PathsWithEntriesBeforeTheirParents) {
  ParsedData parsed = arff(
      "@RELATION 'r s'\r\n\r\n% note\r\n@ATTRIBUTE x%y NUMERIC\r\n@Attribute z real\r\n"
      "@ATTRIBUTE class   HIERARCHICAL 2,1/1/5,1,1/1\r\n@DATA\r\n"
      "1.5,?,1@1/1\r\n% comment\r\n\r\n -2 , 3e1 , 2 \r\n");
  EXPECT_THAT(parsed.feature_names, ElementsAre("x%y", "z"));
  EXPECT_THAT(row(parsed.features, 0), ElementsAre(1.5, NanSensitiveDoubleEq(kNaN)));
  EXPECT_THAT(row(parsed.features, 1), ElementsAre(-2, 30));
  EXPECT_THAT(labels(parsed, 0), ElementsAre("1", "1/1"));
  EXPECT_THAT(labels(parsed, 1), ElementsAre("2"));
  EXPECT_EQ(parsed.missing_values, 1);
  EXPECT_EQ(parsed.first_missing.line, 8);
  EXPECT_EQ(parsed.first_missing.column, 5);
  EXPECT_TRUE(parsed.labels_are_names);

  const Taxonomy taxonomy = parsed.hierarchy->build();
  EXPECT_TRUE(taxonomy.has_virtual_root());
  EXPECT_EQ(taxonomy.size(), 5);
  EXPECT_EQ(taxonomy.name(taxonomy.parents(*taxonomy.find("1/1/5"))[0]), "1/1");
}

TEST(Arff, EdgesWithANodeNamedRoot) {
  ParsedData parsed = arff(with_class("root/p,p/q,root/r,r/q", "1,q\n2,p@r\n"));
  const Taxonomy taxonomy = parsed.hierarchy->build();
  EXPECT_FALSE(taxonomy.has_virtual_root());
  EXPECT_EQ(taxonomy.name(0), "root");
  EXPECT_EQ(taxonomy.size(), 4);
  EXPECT_EQ(taxonomy.parents(*taxonomy.find("q")).size(), 2U);
  EXPECT_THAT(labels(parsed, 1), ElementsAre("p", "r"));
}

TEST(Arff, PathsBelowANodeNamedRootAreStillPaths) {
  const Taxonomy taxonomy = arff(with_class("root,root/a,root/a/b", "1,root/a/b\n")).hierarchy->build();
  EXPECT_TRUE(taxonomy.has_virtual_root());
  EXPECT_TRUE(taxonomy.find("root/a/b").has_value());
}

TEST(Arff, OneTopNodeStillHasAnImpliedRootAbove) {
  const Taxonomy taxonomy = arff(with_class("1,1/2", "1,1\n")).hierarchy->build();
  EXPECT_TRUE(taxonomy.has_virtual_root());
  EXPECT_EQ(taxonomy.size(), 3);
}

TEST(Arff, SamplesWithoutLabel) {
  const ParsedData parsed = arff(with_class("1,2", "1,?\n2,\n3,1@@2\n"));
  EXPECT_THAT(labels(parsed, 0), IsEmpty());
  EXPECT_THAT(labels(parsed, 1), IsEmpty());
  EXPECT_THAT(labels(parsed, 2), ElementsAre("1", "2"));
  EXPECT_TRUE(has_note(parsed, "skipped 1 empty labels"));
}

TEST(Arff, QuotedNamesAndEscapes) {
  const ParsedData parsed = arff(
      "@attribute 'it\\'s 1' numeric\n@attribute \"b \\\"c\\\"\" numeric\n@attribute d\\e numeric\n"
      "@attribute 'class' {'a b', \"c,d\", e}\n@data\n'1', \"2\" ,3,'a b'\n4,5,6,\"c,d\"\n7,8,9,e\n");
  EXPECT_THAT(parsed.feature_names, ElementsAre("it's 1", "b \"c\"", "d\\e"));
  EXPECT_THAT(row(parsed.features, 0), ElementsAre(1, 2, 3));
  EXPECT_THAT(labels(parsed, 0), ElementsAre("a b"));
  EXPECT_THAT(labels(parsed, 1), ElementsAre("c,d"));
  EXPECT_FALSE(parsed.hierarchy.has_value());
}

TEST(Arff, NominalFeaturesBecomeColumns) {
  const ParsedData parsed = arff(
      "@attribute color {red,green,blue}\n@attribute big{no,yes}\n@attribute bit {1,0}\n@attribute one {x}\n"
      "@attribute class {p,q}\n@data\ngreen,yes,1,x,p\n?,no,0,x,q\nblue,?,0,x,?\n");
  EXPECT_THAT(parsed.feature_names, ElementsAre("color=red", "color=green", "color=blue", "big=yes", "bit", "one=x"));
  EXPECT_THAT(row(parsed.features, 0), ElementsAre(0, 1, 0, 1, 1, 1));
  const auto nan = NanSensitiveDoubleEq(kNaN);
  EXPECT_THAT(row(parsed.features, 1), ElementsAre(nan, nan, nan, 0, 0, 1));
  EXPECT_THAT(row(parsed.features, 2), ElementsAre(0, 0, 1, nan, 0, 1));
  EXPECT_EQ(parsed.missing_values, 4);
  EXPECT_THAT(labels(parsed, 2), IsEmpty());
  EXPECT_TRUE(has_note(parsed, "4 nominal attributes became 6 columns"));
}

TEST(Arff, SparseRows) {
  const ParsedData parsed = arff(
      "@attribute a numeric\n@attribute b numeric\n@attribute c numeric\n@attribute class hierarchical 1,1/2\n@data\n"
      "{0 1.5, 2 -2, 3 1/2}\n{}\n{ 1 0 , 3 1@1/2 }\n{1 ?,3 '1'}\n");
  ASSERT_TRUE(is_sparse(parsed.features));
  const auto& matrix = std::get<SparseMatrix<double>>(parsed.features);
  EXPECT_EQ(matrix.nonzeros(), 4);  // a stated zero is kept
  EXPECT_THAT(row(parsed.features, 0), ElementsAre(1.5, 0, -2));
  EXPECT_THAT(row(parsed.features, 3), ElementsAre(0, NanSensitiveDoubleEq(kNaN), 0));
  EXPECT_THAT(labels(parsed, 0), ElementsAre("1/2"));
  EXPECT_THAT(labels(parsed, 1), IsEmpty());
  EXPECT_THAT(labels(parsed, 2), ElementsAre("1", "1/2"));
}

TEST(Arff, SparseRowsOmitFirstNominalValues) {
  const ParsedData parsed = arff(
      "@attribute a {x,y,z}\n@attribute b numeric\n@attribute c {no,yes}\n@attribute d {1,0}\n@attribute class {p,q}\n"
      "@data\n{1 5}\n{0 y,3 0,4 q}\n{2 yes}\nz,0,no,0,p\n");
  ASSERT_TRUE(is_sparse(parsed.features));
  EXPECT_THAT(row(parsed.features, 0), ElementsAre(1, 0, 0, 5, 0, 1));
  EXPECT_THAT(row(parsed.features, 1), ElementsAre(0, 1, 0, 0, 0, 0));
  EXPECT_THAT(row(parsed.features, 2), ElementsAre(1, 0, 0, 0, 1, 1));
  EXPECT_THAT(row(parsed.features, 3), ElementsAre(0, 0, 1, 0, 0, 0));  // a dense row among sparse ones
  EXPECT_THAT(labels(parsed, 0), ElementsAre("p"));
  EXPECT_THAT(labels(parsed, 1), ElementsAre("q"));
}

TEST(Arff, LabelAndSampleColumns) {
  const std::string text =
      "@attribute gene string\n@attribute v numeric\n@attribute kind {a,b}\n@attribute class {p,q}\n@data\n"
      "'g 1',1,a,p\ng2,2,b,q\n";
  ReadOptions options;
  options.sample_column = "gene";
  ParsedData parsed = arff(text, options);
  EXPECT_THAT(parsed.sample_names, ElementsAre("g 1", "g2"));
  EXPECT_THAT(parsed.feature_names, ElementsAre("v", "kind=b"));
  EXPECT_THAT(labels(parsed, 1), ElementsAre("q"));

  options.label_column = "3";
  parsed = arff(text, options);
  EXPECT_THAT(parsed.feature_names, ElementsAre("v", "class=q"));
  EXPECT_THAT(labels(parsed, 1), ElementsAre("b"));

  options.label_column = "none";
  EXPECT_THAT(labels(arff(text, options), 0), IsEmpty());
  options.label_column = "v";
  EXPECT_THAT(labels(arff(text, options), 0), ElementsAre("1"));

  options = default_options();
  options.label_column = "nothing";
  expect_error(read_arff, text, 0, "there is no attribute 'nothing'", options);
  options.label_column = "9";
  expect_error(read_arff, text, 0, "there is no attribute '9'", options);
  expect_error(read_arff, text, 1, "attribute 'gene' is text");
}

TEST(Arff, TheLastNominalAttributeIsTheLabelIfNoneIsNamedClass) {
  const ParsedData parsed = arff("@attribute a numeric\n@attribute play {yes,no}\n@data\n1,no\n");
  EXPECT_THAT(labels(parsed, 0), ElementsAre("no"));
  EXPECT_TRUE(has_note(parsed, "the last attribute, 'play', is taken as the label"));
  EXPECT_TRUE(has_note(arff("@attribute a numeric\n@data\n1\n"), "no class attribute"));
}

TEST(Arff, RepeatedFeatureNamesStayAndAreNoted) {
  const ParsedData parsed = arff("@attribute a numeric\n@attribute a numeric\n@data\n1,2\n");
  EXPECT_THAT(parsed.feature_names, ElementsAre("a", "a"));
  EXPECT_TRUE(has_note(parsed, "1 feature name is repeated"));
}

TEST(Arff, LongClassLines) {
  std::string entries = "0";
  for (int k = 1; k < 20000; ++k) entries += "," + std::to_string(k % 100) + "/" + std::to_string(k);
  ParsedData parsed = arff(with_class(entries, "1,99/19999\n"));
  EXPECT_EQ(parsed.hierarchy->build().size(), 20000 + 100);
}

TEST(Arff, HeadersThatAreWrong) {
  expect_error(read_arff, "", 1, "empty file; expected @relation");
  expect_error(read_arff, "a,b\n1,2\n", 1, "'a,b' in the header");
  expect_error(read_arff, "@relation r\n@attribute a numeric\n", 2, "the file ends before @data");
  expect_error(read_arff, "@relation r\n@data\n1\n", 2, "no attribute before @data");
  expect_error(read_arff, "@attribute\n@data\n", 1, "without a name");
  expect_error(read_arff, "@relation r\n@attribute a complex\n@data\n", 2, "type 'complex' of attribute 'a'");
  expect_error(read_arff, "@attribute a\n@data\n", 1, "type '' of attribute 'a'");
  expect_error(read_arff, "@attribute a relational\n@data\n", 1, "type 'relational'");
  expect_error(read_arff, "@attribute 'a numeric\n@data\n", 1, "not closed");
  expect_error(read_arff, "@attribute a {x,y\n@data\n", 1, "the values of 'a' are not closed");
  expect_error(read_arff, "@attribute a {}\n@data\n", 1, "an empty value of 'a'");
  expect_error(read_arff, "@attribute a {x,,y}\n@data\n", 1, "an empty value of 'a'");
  expect_error(read_arff, "@attribute a {x,'x'}\n@data\n", 1, "value 'x' of 'a' is given twice");
  expect_error(read_arff, "@attribute d date 'yyyy'\n@data\n", 1, "attribute 'd' is text");
  expect_error(read_arff, "@attribute c hierarchical a\n@attribute d hierarchical b\n@data\n", 2,
               "a second hierarchical");
}

TEST(Arff, ClassHierarchiesThatAreWrong) {
  expect_error(read_arff, with_class("a,,b", ""), 3, "an empty name in the class hierarchy");
  expect_error(read_arff, with_class("a,a/", ""), 3, "an empty name");
  expect_error(read_arff, with_class("a,a//b", ""), 3, "an empty name");
  std::string deep = "a";
  for (int k = 0; k < 100; ++k) deep += "/a";
  expect_error(read_arff, with_class(deep, ""), 3, "a path of more than 100 parts");

  const auto build = [](std::string_view entries) { arff(with_class(entries, "1,?\n")).hierarchy->build(); };
  const Error cycle = error_of([&] { build("root/a,a/b,b/a"); });
  EXPECT_EQ(cycle.where().line, 3);
  EXPECT_THAT(cycle.what(), ::testing::HasSubstr("cycle"));
  EXPECT_THAT(error_of([&] { build("root/a,a/a"); }).what(), ::testing::HasSubstr("its own parent"));
  EXPECT_THAT(error_of([&] { build("root/a,root/a"); }).what(), ::testing::HasSubstr("given twice"));
  EXPECT_TRUE(has_note(arff(with_class("a,b,a", "1,a\n")), "skipped 1 repeated entries"));
}

TEST(Arff, RowsThatAreWrong) {
  expect_error(read_arff, with_class("1,2", "1,1\n1,2,2\n"), 6, "3 values; expected 2");
  expect_error(read_arff, with_class("1,2", "1,1\n\n1\n"), 7, "1 value; expected 2");
  expect_error(read_arff, with_class("1,2", "x,1\n"), 5, "'x' of attribute 'a' is not a number");
  expect_error(read_arff, with_class("1,2", ",1\n"), 5, "'' of attribute 'a' is not a number");
  expect_error(read_arff, with_class("1,2", "inf,1\n"), 5, "'inf' of attribute 'a' is not finite");
  expect_error(read_arff, with_class("1,2", "1e999,1\n"), 5, "is not finite");
  expect_error(read_arff, with_class("1,2", "1,1\n1,1@3\n"), 6, "label '3' is not in the class hierarchy");
  expect_error(read_arff, with_class("1,2", "1,1\n1,'1\n"), 6, "not closed");
  expect_error(read_arff, with_class("1,2", "1,1\n'1'2,1\n"), 6, "not closed, or text follows it");
  expect_error(read_arff, with_class("1,2", "1,\xFF\n"), 5, "byte 0xFF is not UTF-8");
  expect_error(read_arff, "@attribute a {x,y}\n@attribute class {p}\n@data\nz,p\n", 4,
               "'z' is no value of attribute 'a'");
  expect_error(read_arff, "@attribute a {x,y}\n@attribute class {p}\n@data\nx,q\n", 4,
               "'q' is no value of attribute 'class'");
  ReadOptions options;
  options.precision = Precision::kFloat;
  expect_error(read_arff, with_class("1,2", "1e300,1\n"), 5, "is not finite", options);
}

TEST(Arff, SparseRowsThatAreWrong) {
  expect_error(read_arff, with_class("1,2", "{0 1,1 2\n"), 5, "a row that is not closed");
  expect_error(read_arff, with_class("1,2", "{0 1} x\n"), 5, "text behind the row");
  expect_error(read_arff, with_class("1,2", "{0 1,}\n"), 5, "nothing behind a comma");
  expect_error(read_arff, with_class("1,2", "{x 1}\n"), 5, "no index");
  expect_error(read_arff, with_class("1,2", "{0}\n"), 5, "no index with a value");
  expect_error(read_arff, with_class("1,2", "{2 1}\n"), 5, "index 2 in a sparse row; expected an index from 0 to 1");
  expect_error(read_arff, with_class("1,2", "{1000000000 1}\n"), 5, "index 1000000000");
  expect_error(read_arff, with_class("1,2", "{99999999999999999999 1}\n"), 5, "index 99999999999999999999");
  expect_error(read_arff, with_class("1,2", "{1 1,0 1}\n"), 5, "do not ascend");
  expect_error(read_arff, with_class("1,2", "{0 1,0 2}\n"), 5, "index 0 twice");
  ReadOptions options;
  options.sort_features = true;
  EXPECT_THAT(row(arff(with_class("1,2", "{1 1,0 7}\n"), options).features, 0), ElementsAre(7));
  expect_error(read_arff, with_class("1,2", "{1 1,0 7,0 8}\n"), 5, "index 0 twice", options);
}

TEST(Arff, FewBytesCannotAskForMuchMemory) {
  // 1000 nominal attributes and rows that leave them all out: 12 bytes of data for each of 200 million values.
  std::string text;
  for (int k = 0; k < 1000; ++k) text += "@attribute a" + std::to_string(k) + " {x,y,z}\n";
  text += "@data\n";
  for (int k = 0; k < 200000; ++k) text += "{}\n";
  const Error error = error_of([&] { arff(text); });
  EXPECT_THAT(error.what(), ::testing::HasSubstr("too many columns of nominal attributes"));

  // Dense rows of a nominal attribute with very many values are kept sparse.
  text = "@attribute a {v0";
  for (int k = 1; k < 20000; ++k) text += ",v" + std::to_string(k);
  text += "}\n@attribute class {p}\n@data\n";
  for (int k = 0; k < 10000; ++k) text += "v" + std::to_string(k) + ",p\n";
  const ParsedData parsed = arff(text);
  ASSERT_TRUE(is_sparse(parsed.features));
  EXPECT_EQ(std::get<SparseMatrix<double>>(parsed.features).nonzeros(), 10000);

  // A long attribute name once per value.
  text = "@attribute " + std::string(100000, 'n') + " {v0";
  for (int k = 1; k < 10000; ++k) text += ",v" + std::to_string(k);
  expect_error(read_arff, text + "}\n@attribute class {p}\n@data\n", 1, "too many long column names");
}

TEST(Arff, Latin1) {
  ReadOptions options;
  options.encoding = Encoding::kLatin1;
  ParsedData parsed =
      arff("@attribute caf\xE9 {\xE9,x,y}\n@attribute class hierarchical \xE9t\xE9\n@data\n\xE9,\xE9t\xE9\n", options);
  EXPECT_EQ(parsed.feature_names[0], "caf\xC3\xA9=\xC3\xA9");
  EXPECT_THAT(row(parsed.features, 0), ElementsAre(1, 0, 0));
  EXPECT_THAT(labels(parsed, 0), ElementsAre("\xC3\xA9t\xC3\xA9"));
  expect_error(read_arff, "@attribute caf\xE9 numeric\n@data\n", 1, "byte 0xE9 is not UTF-8");
}

TEST(Arff, ThreadsDoNotChangeTheResult) {
  RandomStream random(5, {kTestStream});
  for (const bool sparse : {false, true}) {
    std::string text = with_class("1,2,2/3", "");
    for (int k = 0; k < 400000; ++k) {
      const std::string value = random.below(20) == 0 ? "?" : std::to_string(random.normal());
      const std::string label = random.below(2) == 0 ? "1" : "2/3@1";
      text += sparse ? "{0 " + value + ", 1 " + label + "}\n" : value + "," + label + "\n";
    }
    ASSERT_GT(text.size(), 4U << 20U);
    const ParsedData first = read_text(read_arff, text, default_options(), 1);
    const Index missing = first.missing_values;
    const Index line = first.first_missing.line;
    const Dataset one = to_dataset(read_text(read_arff, text, default_options(), 1));
    EXPECT_EQ(one.samples(), 400000);
    for (const int threads : {2, 3}) {
      ParsedData other = read_text(read_arff, text, default_options(), threads);
      EXPECT_EQ(other.missing_values, missing);
      EXPECT_EQ(other.first_missing.line, line);
      EXPECT_EQ(other.labels.names(), first.labels.names());
      EXPECT_EQ(difference(one, to_dataset(std::move(other))), std::nullopt);
    }
  }
}

TEST(Arff, TheFirstErrorOfTheFileIsReportedWhateverTheThreads) {
  std::string text = with_class("1,2", "");
  for (Index line = 5; line <= 900000; ++line) text += line >= 300000 && line % 1000 == 7 ? "bad,1\n" : "1.5,1\n";
  for (int repeat = 0; repeat < 5; ++repeat) expect_error(read_arff, text, 300007, "'bad' of attribute 'a'");
}

Dataset one_sample(const Taxonomy& taxonomy, NodeId label) {
  return Dataset({.features = DenseMatrix<double>{.rows = 1, .columns = 0, .values = {}},
                  .labels = {.offsets = {0, 1}, .nodes = {label}},
                  .taxonomy = taxonomy});
}

// Writes a taxonomy and reads it back; each node is a label once.
void expect_taxonomy_survives(const Taxonomy& taxonomy, std::string_view header_line) {
  for (NodeId label = 0; label < taxonomy.size(); ++label) {
    const std::string text = written(write_arff, one_sample(taxonomy, label));
    EXPECT_THAT(text, ::testing::HasSubstr(header_line));
    const Dataset back = to_dataset(arff(text));
    EXPECT_TRUE(back.taxonomy() == taxonomy) << text;
    EXPECT_EQ(difference(one_sample(taxonomy, label), back), std::nullopt) << text;
  }
}

TEST(ArffClasses, EveryFormOfHierarchySurvives) {
  const auto built = [](auto&& fill) {
    TaxonomyBuilder builder;
    fill(builder);
    return builder.build();
  };
  // Paths.
  expect_taxonomy_survives(built([](auto& b) {
                             b.imply_root();
                             b.path("a/b", "/");
                             b.path("a b/c/d", "/");
                             b.path("root/x", "/");
                           }),
                           "\n@attribute class hierarchical a,a b,root,a/b,a b/c,root/x,a b/c/d\n");
  expect_taxonomy_survives(flat_taxonomy(std::vector<std::string>{"x", "y"}), "class hierarchical x,y\n");
  expect_taxonomy_survives(flat_taxonomy(std::vector<std::string>{"x"}), "class hierarchical x\n");
  expect_taxonomy_survives(flat_taxonomy({}), "class hierarchical \n");
  // Edges as the gene ontology files have them: a DAG with a node named root.
  expect_taxonomy_survives(built([](auto& b) {
                             b.edge("root", "b");
                             b.edge("root", "a");
                             b.edge("a", "c");
                             b.edge("b", "c");
                           }),
                           "\n@attribute class hierarchical root/b,root/a,b/c,a/c\n");
  // Another root, a root that is alone, a virtual root above a DAG, names that are not those of paths.
  expect_taxonomy_survives(built([](auto& b) { b.edge("Root", "a"); }),
                           "% clade: hierarchy=edges\n@attribute class hierarchical Root/a\n");
  expect_taxonomy_survives(built([](auto& b) { b.node("root"); }),
                           "% clade: hierarchy=edges\n@attribute class hierarchical root\n");
  expect_taxonomy_survives(built([](auto& b) {
                             b.edge("a", "c");
                             b.edge("b", "c");
                             b.node("root");
                           }),
                           "% clade: hierarchy=edges root=implied\n@attribute class hierarchical a,b,root,a/c,b/c\n");
  // Names with every special character, also with a root named root.
  expect_taxonomy_survives(built([](auto& b) {
                             for (const char* name : {"a/b", "c,d", "e@f", " g", "h'i\"j", "k\\l", "?", "m\nn\to\r",
                                                      "{p}", "%q", "r}", "", "'", "\\"}) {
                               b.edge("root", name);
                               b.edge(name, std::string(name) + "/x");
                             }
                           }),
                           "% clade: hierarchy=edges\n");
  expect_taxonomy_survives(flat_taxonomy(std::vector<std::string>{"a/b", "c,d", "?"}),
                           "% clade: hierarchy=edges root=implied\n@attribute class hierarchical 'a/b','c,d','?'\n");
  // A path deeper than what is read as one.
  std::string deep = "a";
  for (int k = 0; k < 120; ++k) deep += "/a";
  expect_taxonomy_survives(built([&](auto& b) {
                             b.imply_root();
                             b.path(deep, "/");
                           }),
                           "root=implied");
}

TEST(ArffClasses, MiscellaneousLeavesAreFolded) {
  TaxonomyBuilder builder;
  builder.imply_root();
  builder.path("x/y", "/");
  const Dataset data = one_sample(builder.build(), 1);
  const Dataset extended = with_leaf_labels(data);
  ASSERT_GT(extended.taxonomy().size(), data.taxonomy().size());
  EXPECT_EQ(written(write_arff, extended), written(write_arff, data));
}

TEST(ArffClasses, ANodeNamedLikeTheVirtualRoot) {
  const Taxonomy taxonomy = flat_taxonomy(std::vector<std::string>{"(root)", "y"});
  const Dataset data = one_sample(taxonomy, 1);
  EXPECT_EQ(difference(data, to_dataset(arff(written(write_arff, data)))), std::nullopt);
  EXPECT_THAT(error_of([&] { written(write_arff, one_sample(taxonomy, 0)); }).what(),
              ::testing::HasSubstr("cannot be written as ARFF"));
}

TEST(ArffClasses, MarkedHierarchiesThatAreWrong) {
  const auto marked = [](std::string_view entries) {
    return "% clade: hierarchy=edges\n@attribute class hierarchical " + std::string(entries) + "\n@data\na\n";
  };
  expect_error(read_arff, marked("a/b,"), 2, "an empty name");
  expect_error(read_arff, marked("a/,b"), 2, "an empty name");
  expect_error(read_arff, marked("a/b/c"), 2, "more than one slash in an edge");
  expect_error(read_arff, marked("'a/b"), 2, "a quote that is not closed");
}

TEST(Arff, WriterIsExact) {
  EXPECT_EQ(written(write_arff, to_dataset(arff(with_class("1,1/2,3", "1.5,1/2@3\n?,?\n")))),
            "@relation data\n\n@attribute a numeric\n@attribute class hierarchical 1,3,1/2\n\n@data\n1.5,3@1/2\n?,?\n");
}

TEST(Arff, RoundTripsOfRandomData) {
  RandomStream random(4, {kTestStream});
  for (int k = 0; k < 64; ++k) {
    TaxonomyBuilder builder;
    const bool dag = (k & 16) != 0;
    if (dag) builder.imply_root();
    for (Index node = 1; node < 12; ++node) {
      const std::string name = "n" + std::to_string(node);
      builder.edge("n" + std::to_string(random.below(node)), name);
      if (dag && node > 3) builder.edge("n" + std::to_string(node - 2), name + "'");
    }
    builder.merge_repeated_edges(true);
    const Taxonomy taxonomy = builder.build();
    const RandomCase c{.sparse = (k & 1) != 0,
                       .single_precision = (k & 2) != 0,
                       .feature_names = (k & 4) != 0,
                       .sample_names = (k & 8) != 0,
                       .rows = random.below(30),
                       .columns = random.below(7)};
    const Dataset data = random_dataset(random, c, taxonomy, "ab \",;{}%@?\\\n\t'");
    ReadOptions options;
    options.precision = c.single_precision ? Precision::kFloat : Precision::kDouble;
    const std::string text = written(write_arff, data);
    ParsedData parsed = arff(text, options);
    EXPECT_TRUE(c.rows == 0 || is_sparse(parsed.features) == c.sparse);
    const DataFormat::Holds holds = arff_holds(data);
    EXPECT_EQ(holds.feature_names, data.has_feature_names());
    EXPECT_EQ(holds.sample_names, data.has_sample_names());
    EXPECT_TRUE(holds.taxonomy && holds.feature_count);
    EXPECT_EQ(difference(data, to_dataset(std::move(parsed))), std::nullopt) << text;
  }
}

TEST(Arff, WhatCannotBeWrittenIsRefused) {
  expect_unwritable_refused(write_arff);
}

TEST(Arff, DefaultNamesReadBackAsNone) {
  EXPECT_THAT(arff("@attribute f0 numeric\n@attribute f1 numeric\n@data\n1,2\n").feature_names, IsEmpty());
}

}  // namespace
}  // namespace clade
