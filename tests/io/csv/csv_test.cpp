#include "io/csv/csv.h"

#include "io/table_support.h"

namespace clade {
namespace {

using namespace table_test;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::NanSensitiveDoubleEq;

ParsedData csv(std::string_view text, const ReadOptions& options = default_options()) {
  return read_text(read_csv, text, options);
}

TEST(Csv, HeaderNamesFeaturesAndFindsTheLabelColumn) {
  const ParsedData parsed = csv("a,label,b\n1,x,2.5\n-3e2,y,.5\n");
  EXPECT_THAT(parsed.feature_names, ElementsAre("a", "b"));
  EXPECT_THAT(row(parsed.features, 0), ElementsAre(1, 2.5));
  EXPECT_THAT(row(parsed.features, 1), ElementsAre(-300, 0.5));
  EXPECT_THAT(labels(parsed, 0), ElementsAre("x"));
  EXPECT_THAT(labels(parsed, 1), ElementsAre("y"));
  EXPECT_FALSE(is_sparse(parsed.features));
  EXPECT_FALSE(parsed.hierarchy.has_value());
  EXPECT_THAT(parsed.notes, IsEmpty());
}

TEST(Csv, WithoutHeaderTheLastColumnIsTheLabel) {
  const ParsedData parsed = csv("1,2,x\n3,4,y");
  EXPECT_THAT(parsed.feature_names, IsEmpty());
  EXPECT_EQ(row_count(parsed.features), 2);
  EXPECT_THAT(row(parsed.features, 0), ElementsAre(1, 2));
  EXPECT_THAT(labels(parsed, 1), ElementsAre("y"));
}

TEST(Csv, TextLabelsAloneMakeNoHeader) {
  // The first row has text in the label column only.
  EXPECT_EQ(row_count(csv("1,2,dog\n3,4,cat\n").features), 2);
  // A missing value is not text.
  EXPECT_EQ(row_count(csv("NA,2,dog\n3,4,cat\n").features), 2);
}

TEST(Csv, NumbersAsNamesAreAHeaderWhereAColumnIsNamedLabel) {
  const ParsedData parsed = csv("0,1,Label\n5,6,x\n");
  EXPECT_EQ(row_count(parsed.features), 1);
  EXPECT_THAT(parsed.feature_names, ElementsAre("0", "1"));
}

TEST(Csv, HeaderOptionOverrulesTheGuess) {
  ReadOptions options;
  options.header = Header::kYes;
  EXPECT_THAT(csv("1,2,3\n4,5,6\n", options).feature_names, ElementsAre("1", "2"));
  options.header = Header::kNo;
  expect_error(read_csv, "a,b,label\n1,2,x\n", 1, "'a' in column 1 is not a number", options);
}

TEST(Csv, LabelAndSampleColumnsByNameAndNumber) {
  ReadOptions options;
  options.label_column = "kind";
  options.sample_column = "1";
  const ParsedData parsed = csv("who,kind,v\nann,x,1\nbob,y,2\n", options);
  EXPECT_THAT(parsed.sample_names, ElementsAre("ann", "bob"));
  EXPECT_THAT(parsed.feature_names, ElementsAre("v"));
  EXPECT_THAT(labels(parsed, 1), ElementsAre("y"));

  options.label_column = "2";
  options.sample_column = "none";
  options.header = Header::kNo;
  EXPECT_THAT(row(csv("1,x,3\n", options).features, 0), ElementsAre(1, 3));
}

TEST(Csv, ANumberedLabelColumnIsNoSignOfAHeader) {
  ReadOptions options;
  options.label_column = "1";
  EXPECT_EQ(row_count(csv("1,2,3\n1,5,6\n", options).features), 2);
}

TEST(Csv, SampleAndIdAreSampleNamesByDefault) {
  EXPECT_THAT(csv("Sample,v,label\ns1,1,x\n").sample_names, ElementsAre("s1"));
  const ParsedData parsed = csv("v,ID,label\n1,7,x\n");
  EXPECT_THAT(parsed.sample_names, ElementsAre("7"));
  EXPECT_TRUE(has_note(parsed, "column 'ID' is taken as the names of the samples"));
}

TEST(Csv, LabelColumnNoneIsUnlabelledData) {
  ReadOptions options;
  options.label_column = "none";
  const ParsedData parsed = csv("1,2\n3,4\n", options);
  EXPECT_EQ(column_count(parsed.features), 2);
  EXPECT_EQ(parsed.labels.samples(), 2);
  EXPECT_THAT(labels(parsed, 0), IsEmpty());
}

TEST(Csv, SeveralLabelsAndPathsAndNone) {
  const ParsedData parsed = csv("v,label\n1,a/b;c\n2,\n3,x | y\n4,a;;b\n");
  EXPECT_THAT(labels(parsed, 0), ElementsAre("a/b", "c"));
  EXPECT_THAT(labels(parsed, 1), IsEmpty());
  EXPECT_THAT(labels(parsed, 2), ElementsAre("x", "y"));
  EXPECT_THAT(labels(parsed, 3), ElementsAre("a", "b"));
  EXPECT_TRUE(has_note(parsed, "skipped 1 empty labels"));
  EXPECT_FALSE(parsed.labels_are_names);

  ReadOptions options;
  options.label_separators = "+";
  EXPECT_THAT(labels(csv("1,a;b+c\n", options), 0), ElementsAre("a;b", "c"));
}

TEST(Csv, EveryWayToSayMissing) {
  const ParsedData parsed = csv("v,w,label\n,?,x\nNA,n/a,x\nNaN,NULL,x\n -nan , na ,x\n1,\"\",x\n");
  EXPECT_EQ(parsed.missing_values, 9);
  EXPECT_EQ(parsed.first_missing.line, 2);
  EXPECT_EQ(parsed.first_missing.column, 1);
  EXPECT_THAT(row(parsed.features, 3), ElementsAre(NanSensitiveDoubleEq(kNaN), NanSensitiveDoubleEq(kNaN)));
  EXPECT_THAT(row(parsed.features, 4), ElementsAre(1, NanSensitiveDoubleEq(kNaN)));
}

TEST(Csv, DelimiterIsGuessedOrGiven) {
  EXPECT_THAT(row(csv("1\t2\ta;b\n").features, 0), ElementsAre(1, 2));
  EXPECT_THAT(row(csv("1;2;x\n").features, 0), ElementsAre(1, 2));
  EXPECT_THAT(labels(csv("1,2,a;b\n"), 0), ElementsAre("a", "b"));
  EXPECT_THAT(csv("x,\"a\tb\",\"c\n\"\"\td\",label\n1,2,3,y\n").feature_names, ElementsAre("x", "a\tb", "c\n\"\td"));
  EXPECT_THAT(csv("\"a,b\";c;label\n1;2;x\n").feature_names, ElementsAre("a,b", "c"));
  // Delimiters of the header's names that the rows do not have; a second row that is too short.
  EXPECT_THAT(csv("a,1;b\t2;label\n1;2;x\n").feature_names, ElementsAre("a,1", "b\t2"));
  EXPECT_THAT(labels(csv("1,a;b;c\n2,d;e;f\n"), 0), ElementsAre("a", "b", "c"));
  expect_error(read_csv, "a,b,c;d\n1;2;3\n", 2, "1 column; expected 3");
  ReadOptions options;
  options.delimiter = "space";
  EXPECT_THAT(row(csv("1 2 x\n", options).features, 0), ElementsAre(1, 2));
  options.delimiter = ":";
  EXPECT_THAT(row(csv("1:2:x\n", options).features, 0), ElementsAre(1, 2));
  for (const char* bad : {"ab", "1", "e", "\"", "\xE9"}) {
    options.delimiter = bad;
    EXPECT_THAT(error_of([&] { csv("1,2\n", options); }).what(), ::testing::HasSubstr("is no delimiter"));
  }
  EXPECT_TRUE(has_note(csv("1 2 3\n"), "single column"));
}

TEST(Csv, TsvSplitsAtTabsOnly) {
  const ParsedData parsed = read_text(read_tsv, "a,1\tb\tlabel\n1\t2\tx,y\n");
  EXPECT_THAT(parsed.feature_names, ElementsAre("a,1", "b"));
  EXPECT_THAT(labels(parsed, 0), ElementsAre("x,y"));
}

TEST(Csv, QuotesHoldDelimitersQuotesAndLineEnds) {
  const ParsedData parsed = csv("\"a \"\"x\"\"\",\"b,\n c\",label\n\"1.5\",2,\"p,q\"\n3,\" 4 \",\"r\r\ns\"\n5,6,t\n");
  EXPECT_THAT(parsed.feature_names, ElementsAre("a \"x\"", "b,\n c"));
  EXPECT_THAT(row(parsed.features, 0), ElementsAre(1.5, 2));
  EXPECT_THAT(row(parsed.features, 1), ElementsAre(3, 4));
  EXPECT_THAT(labels(parsed, 0), ElementsAre("p,q"));
  EXPECT_THAT(labels(parsed, 1), ElementsAre("r\r\ns"));
  EXPECT_EQ(parsed.labels.first_line(2), 6);  // two records before it cover two lines each
}

TEST(Csv, AQuoteInsideAPlainFieldIsText) {
  const ParsedData parsed = csv("5\" pipe,x,label\n1,2,a\"b\n3,4,c\n");
  EXPECT_THAT(parsed.feature_names, ElementsAre("5\" pipe", "x"));
  EXPECT_THAT(labels(parsed, 0), ElementsAre("a\"b"));
  EXPECT_EQ(row_count(parsed.features), 2);
}

TEST(Csv, BadQuotes) {
  expect_error(read_csv, "a,label\n1,x\n2,\"y\n3,z\n", 3, "not closed");
  expect_error(read_csv, "a,label\n1,x\n2,\"y\"z\n", 3, "not closed, or text follows it");
  expect_error(read_csv, "a,label\n1,\"x\"\"\n", 2, "not closed");
  expect_error(read_csv, "a,\"label\n1,x\n", 1, "not closed");
  expect_error(read_csv, "a,label\n\"1\n\"2,x\n", 2, "not closed, or text follows it");
}

TEST(Csv, CrlfByteOrderMarkAndEmptyLines) {
  const ParsedData parsed = csv("\xEF\xBB\xBF\r\na,label\r\n\r\n1,x\r\n\r\n2,y\r\n");
  EXPECT_THAT(parsed.feature_names, ElementsAre("a"));
  EXPECT_EQ(row_count(parsed.features), 2);
  EXPECT_THAT(labels(parsed, 1), ElementsAre("y"));
  EXPECT_EQ(parsed.labels.first_line(1), 6);
  EXPECT_TRUE(has_note(parsed, "byte order mark"));
  EXPECT_TRUE(has_note(parsed, "skipped 3 empty lines"));
}

TEST(Csv, WrongColumnCounts) {
  expect_error(read_csv, "a,b,label\n1,2,x\n3,y\n", 3, "2 columns; expected 3");
  expect_error(read_csv, "a,b,label\n1,2,x\n\n3,4,5,y\n", 4, "4 columns; expected 3");
  expect_error(read_csv, "1,2,3,4,x\n1,2,abc\n", 2, "3 columns; expected 5");
  expect_error(read_csv, "1,x\n7\n", 2, "1 column; expected 2");
  expect_error(read_csv, "1,2,x\n1,2,\"p,q\",r\n", 2, "4 columns; expected 3");
}

TEST(Csv, TextInAFeatureColumnNamesTheColumn) {
  expect_error(read_csv, "a,b,label\n1,2,x\n3,abc,y\n", 3, "'abc' in column 'b' is not a number");
  expect_error(read_csv, "1,2,x\n3,1.2.3,y\n", 2, "'1.2.3' in column 2 is not a number");
  expect_error(read_csv, "1,2,x\n3,1\xE2\x82\xAC,y\n", 2, "is not a number");
  const Error error = error_of([] { csv("a,b,label\n1,2,x\n3,abc,y\n"); });
  EXPECT_EQ(error.where().column, 3);
}

TEST(Csv, InfinityAndHugeNumbersAreRefused) {
  expect_error(read_csv, "1,x\ninf,y\n", 2, "'inf' in column 1 is not finite");
  expect_error(read_csv, "1,x\n1e999,y\n", 2, "'1e999' in column 1 is not finite");
  ReadOptions options;
  options.precision = Precision::kFloat;
  expect_error(read_csv, "1,x\n1e300,y\n", 2, "'1e300' in column 1 is not finite", options);
  EXPECT_TRUE(is_single_precision(csv("0.1,x\n", options).features));
  EXPECT_THAT(row(csv("1e-400,x\n").features, 0), ElementsAre(0));
}

TEST(Csv, EmptyFiles) {
  expect_error(read_csv, "", 1, "empty file; expected a header row");
  expect_error(read_csv, "\xEF\xBB\xBF", 1, "empty file");
  expect_error(read_csv, "\n\n \r\n", 1, "empty file");
}

TEST(Csv, AHeaderAloneIsNoSamples) {
  const ParsedData parsed = csv("a,b,label\n");
  EXPECT_EQ(row_count(parsed.features), 0);
  EXPECT_EQ(column_count(parsed.features), 2);
  EXPECT_TRUE(has_note(parsed, "no samples"));
}

TEST(Csv, CarriageReturnsAlone) {
  expect_error(read_csv, "a,label\r1,x\r2,y\r", 1, "carriage returns alone");
}

TEST(Csv, NotUtf8) {
  expect_error(read_csv, "a,label\n1,x\n2,caf\xE9\n", 3, "byte 0xE9 is not UTF-8");
  expect_error(read_csv, "caf\xE9,label\n1,x\n", 1, "byte 0xE9 is not UTF-8");
  ReadOptions options;
  options.encoding = Encoding::kLatin1;
  const ParsedData parsed = csv("caf\xE9,label\n1,\xE9t\xE9;x\n", options);
  EXPECT_THAT(parsed.feature_names, ElementsAre("caf\xC3\xA9"));
  EXPECT_THAT(labels(parsed, 0), ElementsAre("\xC3\xA9t\xC3\xA9", "x"));
  options.encoding = Encoding::kAuto;
  EXPECT_THAT(labels(csv("1,\xC3\xA9\n", options), 0), ElementsAre("\xC3\xA9"));
}

TEST(Csv, OptionsThatDoNotFit) {
  ReadOptions options;
  options.label_column = "kind";
  expect_error(read_csv, "a,b,label\n1,2,x\n", 1, "no column is named 'kind'", options);
  expect_error(read_csv, "kind,kind\n1,2\n", 1, "several columns are named 'kind'", options);
  options.label_column = "4";
  expect_error(read_csv, "a,b,label\n1,2,x\n", 1, "`label-column` 4: there are 3 columns", options);
  options.label_column = "b";
  options.sample_column = "2";
  expect_error(read_csv, "a,b,label\n1,2,x\n", 1, "as labels and as sample names", options);
  expect_error(read_csv, "class,label,v\nx,y,1\n", 1, "columns 1 and 2 can both be the labels");
}

TEST(Csv, RepeatedNamesStayAndAreNoted) {
  const ParsedData parsed = csv("a,a,b,a,label\n1,2,3,4,x\n");
  EXPECT_THAT(parsed.feature_names, ElementsAre("a", "a", "b", "a"));
  EXPECT_TRUE(has_note(parsed, "2 feature names are repeated (first: 'a')"));
}

TEST(Csv, ManyColumnsInTheHeaderAndShortRowsDoNotAllocateTheirProduct) {
  std::string text;
  for (int k = 0; k < 20000; ++k) text += ',';
  text += "label\n";
  for (int k = 0; k < 200000; ++k) text += "7\n";  // 20000 columns x 200000 rows would be 32 GB
  expect_error(read_csv, text, 2, "1 column; expected 20001");
}

// A large file: chunks are a megabyte, so rows of many chunks are in play.
std::string large_csv(Index rows, bool quotes) {
  RandomStream random(7, {kTestStream});
  std::string text = "sample,a,b,c,label\n";
  for (Index r = 0; r < rows; ++r) {
    text += quotes && random.below(10) == 0 ? "\"s\n" + std::to_string(r) + "\"" : "s" + std::to_string(r);
    for (int k = 0; k < 3; ++k)
      text += random.below(50) == 0 ? std::string(",") : "," + std::to_string(random.normal());
    text += ",l" + std::to_string(random.below(30)) + (quotes && random.below(10) == 0 ? "\r\n\n" : "\n");
  }
  return text;
}

bool same(const ParsedData& a, const ParsedData& b) {
  const auto& x = std::get<DenseMatrix<double>>(a.features);
  const auto& y = std::get<DenseMatrix<double>>(b.features);
  const auto equal = [](double p, double q) { return p == q || (std::isnan(p) && std::isnan(q)); };
  bool result = x.rows == y.rows && std::equal(x.values.begin(), x.values.end(), y.values.begin(), equal) &&
                a.sample_names == b.sample_names && a.labels.names() == b.labels.names() &&
                a.missing_values == b.missing_values && a.first_missing.line == b.first_missing.line &&
                a.notes == b.notes;
  for (Index s = 0; result && s < x.rows; ++s) result = std::ranges::equal(a.labels.of(s), b.labels.of(s));
  for (std::size_t k = 0; result && k < a.labels.names().size(); ++k) {
    result = a.labels.first_line(static_cast<std::int32_t>(k)) == b.labels.first_line(static_cast<std::int32_t>(k));
  }
  return result;
}

TEST(Csv, ThreadsDoNotChangeTheResult) {
  for (const bool quotes : {false, true}) {
    const std::string text = large_csv(150000, quotes);
    ASSERT_GT(text.size(), 4U << 20U);
    const ParsedData one = read_text(read_csv, text, default_options(), 1);
    EXPECT_EQ(row_count(one.features), 150000);
    EXPECT_EQ(one.sample_names[149999].back(), '9');
    for (const int threads : {2, 3}) EXPECT_TRUE(same(one, read_text(read_csv, text, default_options(), threads)));
  }
}

TEST(Csv, TheFirstErrorOfTheFileIsReportedWhateverTheThreads) {
  std::string text = "a,label\n";
  for (Index r = 2; r <= 900000; ++r) text += r >= 300000 && r % 1000 == 7 ? "bad,x\n" : "1.5,x\n";
  for (int repeat = 0; repeat < 5; ++repeat) expect_error(read_csv, text, 300007, "'bad' in column 'a'");
}

TEST(Csv, WriterIsExact) {
  const Dataset data = to_dataset(csv("\"x,1\",y,sample,label\n1.5,,\"a\"\"b\",p;q\n0,-2,c,\n"));
  EXPECT_EQ(written(write_csv, data), "sample,\"x,1\",y,label\n\"a\"\"b\",1.5,,p;q\nc,0,-2,\n");
  EXPECT_EQ(written(write_tsv, data), "sample\t\"x,1\"\ty\tlabel\n\"a\"\"b\"\t1.5\t\tp;q\nc\t0\t-2\t\n");
}

TEST(Csv, RoundTripsOfRandomData) {
  RandomStream random(3, {kTestStream});
  TaxonomyBuilder builder;
  for (const char* child : {"b", "c d", "e,f", "\"g\"", "h\ni"}) builder.edge("a", child);
  builder.edge("b", "j'k");
  builder.edge("c d", "j'k");
  const Taxonomy taxonomy = builder.build();
  for (int k = 0; k < 64; ++k) {
    const RandomCase c{.sparse = (k & 1) != 0,
                       .single_precision = (k & 2) != 0,
                       .feature_names = (k & 4) != 0,
                       .sample_names = (k & 8) != 0,
                       .rows = random.below(30),
                       .columns = random.below(7)};
    const Dataset data = random_dataset(random, c, taxonomy, "ab \",;|\n\t'");
    ReadOptions options;
    options.precision = c.single_precision ? Precision::kFloat : Precision::kDouble;
    const bool tabs = (k & 16) != 0;
    const std::string text = written(tabs ? write_tsv : write_csv, data);
    ParsedData parsed = read_text(tabs ? read_tsv : read_csv, text, options);
    const DataFormat::Holds holds = csv_holds(data);
    EXPECT_EQ(holds.feature_names, data.has_feature_names());
    EXPECT_EQ(holds.sample_names, data.has_sample_names());
    // Sparse data is read back dense; difference() compares by value.
    EXPECT_EQ(difference(data, to_dataset(std::move(parsed), &taxonomy)), std::nullopt) << text;
  }
}

TEST(Csv, FeaturesNamedLikeSpecialColumnsSurvive) {
  // The last column wins among label columns, the first among sample columns.
  const Dataset named = to_dataset(csv("sample,id,label,class,label\ns,1,2,3,x\n"));
  ASSERT_EQ(named.features(), 3);
  EXPECT_TRUE(csv_holds(named).feature_names);
  EXPECT_EQ(difference(named, to_dataset(csv(written(write_csv, named)))), std::nullopt);

  // Without sample names a feature named id would be taken for them: the names are then left to the meta file.
  ReadOptions options;
  options.sample_column = "none";
  const Dataset unnamed = to_dataset(csv("id,v,label\n1,2,x\n", options));
  EXPECT_FALSE(csv_holds(unnamed).feature_names);
  EXPECT_EQ(written(write_csv, unnamed), "f0,f1,label\n1,2,x\n");
}

TEST(Csv, DefaultNamesReadBackAsNone) {
  const ParsedData parsed = csv("f0,f1,label\n1,2,x\n");
  EXPECT_THAT(parsed.feature_names, IsEmpty());
  EXPECT_THAT(csv("f1,f0,label\n1,2,x\n").feature_names, ElementsAre("f1", "f0"));
}

TEST(Csv, UnlabelledSamplesWithoutFeaturesSurvive) {
  const Dataset data = to_dataset(csv("label\nx\n\"\"\ny\n"));
  ASSERT_EQ(data.samples(), 3);
  EXPECT_EQ(written(write_csv, data), "label\nx\n\"\"\ny\n");
}

TEST(Csv, AFirstNameThatStartsLikeAByteOrderMarkSurvives) {
  const ParsedData parsed = csv("\n\xEF\xBB\xBFx,label\n1,y\n");
  ASSERT_THAT(parsed.feature_names, ElementsAre("\xEF\xBB\xBFx"));
  const std::string text = written(write_csv, to_dataset(csv("\n\xEF\xBB\xBFx,label\n1,y\n")));
  EXPECT_THAT(csv(text).feature_names, ElementsAre("\xEF\xBB\xBFx"));
}

TEST(Csv, WhatCannotBeWrittenIsRefused) {
  expect_unwritable_refused(write_csv);
  for (const char* name : {"a;b", "a|b", " a"}) {
    TaxonomyBuilder builder;
    builder.edge("root", name);
    const Dataset data({.features = DenseMatrix<double>{.rows = 1, .columns = 0, .values = {}},
                        .labels = {.offsets = {0, 1}, .nodes = {1}},
                        .taxonomy = builder.build()});
    EXPECT_THAT(error_of([&] { written(write_csv, data); }).what(), ::testing::HasSubstr("cannot be written as CSV"));
  }
}

TEST(Csv, HugeSparseDataIsRefused) {
  SparseMatrix<double> matrix{.rows = 2, .columns = 1500000000, .offsets = Buffer<Index>(3)};
  std::fill(matrix.offsets.begin(), matrix.offsets.end(), 0);
  const Dataset data({.features = std::move(matrix), .labels = {.offsets = {0, 0, 0}}, .taxonomy = flat_taxonomy({})});
  EXPECT_THAT(error_of([&] { written(write_csv, data); }).what(), ::testing::HasSubstr("too large for CSV"));
}

}  // namespace
}  // namespace clade
