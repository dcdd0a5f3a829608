#include <clade/predictions.h>

#include <algorithm>

#include "core/random.h"
#include "io/predictions/predictions.h"
#include "io/predictions/predictions_support.h"
#include "temporary_folder.h"

namespace clade {
namespace {

using predictions_test::samples_of;
using ::testing::ElementsAre;

// (root) over a over a1, a2; b.
Taxonomy small_taxonomy() {
  TaxonomyBuilder builder;
  builder.edge("(root)", "a");
  builder.edge("(root)", "b");
  builder.edge("a", "a1");
  builder.edge("a", "a2");
  return builder.build();
}

const Dataset& three() {
  static const Dataset kData = samples_of(small_taxonomy(), 3);
  return kData;
}

const Dataset& named() {
  static const Dataset kData = samples_of(small_taxonomy(), 3, {"x", "y,z", "10"});
  return kData;
}

Predictions read(std::string_view text, const Dataset& data = three(), int threads = 2) {
  Context ctx({.threads = threads});
  return parse_predictions(Input::from_bytes("in", text), data, ctx);
}

std::vector<std::string> labels(const Predictions& predictions, Index sample, const Dataset& data = three()) {
  std::vector<std::string> names;
  for (const NodeId node : predictions.labels_of(sample)) names.push_back(data.taxonomy().name(node));
  return names;
}

std::vector<double> scores(const Predictions& predictions, Index sample) {
  const auto of = predictions.scores_of(sample);
  return {of.begin(), of.end()};
}

void expect_error(std::string_view text, Index line, std::string_view piece, const Dataset& data = three()) {
  predictions_test::expect_error([&](const Input& input, Context& ctx) { parse_predictions(input, data, ctx); }, text,
                                 line, piece);
}

// What any arrangement of the same rows must give.
void expect_the_three(const Predictions& predictions) {
  ASSERT_EQ(predictions.samples(), 3);
  EXPECT_THAT(labels(predictions, 0), ElementsAre("a1", "b"));
  EXPECT_THAT(scores(predictions, 0), ElementsAre(0.75, -1e-3));
  EXPECT_THAT(labels(predictions, 1), ElementsAre("b"));
  EXPECT_THAT(scores(predictions, 1), ElementsAre(2));
  EXPECT_THAT(labels(predictions, 2), ElementsAre("a2", "a", "(root)"));
  EXPECT_THAT(scores(predictions, 2), ElementsAre(3, 3, 1));
}

TEST(Predictions, InOrder) {
  expect_the_three(
      read("sample,rank,label,score\n0,1,a1,0.75\n0,2,b,-1e-3\n1,1,b,2\n2,1,a2,3\n2,2,a,3.0\n2,3,(root),1\n"));
}

TEST(Predictions, RowsInAnyOrder) {
  std::vector<std::string> rows = {"0,1,a1,0.75\n", "0,2,b,-1e-3\n", "1,1,b,2\n",
                                   "2,1,a2,3\n",    "2,2,a,3\n",     "2,3,(root),1\n"};
  std::sort(rows.begin(), rows.end());
  do {
    std::string text = "sample,rank,label,score\n";
    for (const std::string& row : rows) text += row;
    expect_the_three(read(text));
  } while (std::next_permutation(rows.begin(), rows.end()));
}

TEST(Predictions, ColumnsInAnyOrderAndCaseWithOthersBetween) {
  expect_the_three(
      read("note,Score,LABEL, sample ,rank,\n"
           "x,0.75,a1,0,1,\n\"a,b\",-1e-3,b,0,2,\n,2,b,1,1,\n,3,a2,2,1,\n,3,a,2,2,\n,1,(root),2,3,\n"));
}

TEST(Predictions, TabsMarksLineEndsQuotesBlanksAndEmptyLines) {
  expect_the_three(
      read("\xEF\xBB\xBF\n\nsample\trank\tlabel\tscore\r\n0\t1\ta1\t0.75\r\n\r\n0\t2\tb\t-1e-"
           "3\r\n1\t1\tb\t2\r\n2\t1\ta2\t3\r\n"
           "2\t2\ta\t3\r\n2\t3\t(root)\t1"));
  expect_the_three(read(
      "\"sample\"\t\"rank\"\t\"label\"\t\"score\"\n\"0\"\t\"1\"\t\"a1\"\t\"0.75\"\n0\t 2 \t b\t -1e-3 \n1\t1\tb\t2\n"
      "2\t1\ta2\t\" 3 \"\n2\t2\ta\t+3\n2\t3\t(root)\t1\n\n"));
}

TEST(Predictions, WithoutRanksScoresDecideAndThenTheFile) {
  const Predictions predictions =
      read("sample,label,score\n2,a,1\n2,a1,3\n1,b,0\n2,a2,3\n0,a2,-1\n0,b,-1\n2,b,2\n0,a1,-1\n");
  EXPECT_THAT(labels(predictions, 0), ElementsAre("a2", "b", "a1"));
  EXPECT_THAT(labels(predictions, 2), ElementsAre("a1", "a2", "b", "a"));
  EXPECT_THAT(scores(predictions, 2), ElementsAre(3, 3, 2, 1));
}

TEST(Predictions, WithoutScoresRanksAreScores) {
  const Predictions predictions = read("sample,label,rank\n2,a,2\n2,a1,1\n1,b,1\n0,a,1\n");
  EXPECT_THAT(labels(predictions, 2), ElementsAre("a1", "a"));
  EXPECT_THAT(scores(predictions, 2), ElementsAre(-1, -2));
  EXPECT_THAT(scores(predictions, 0), ElementsAre(-1));
}

TEST(Predictions, WithoutBothTheFileDecides) {
  const Predictions predictions = read("sample,label\n2,b\n0,a\n2,a1\n1,b\n2,a\n");
  EXPECT_THAT(labels(predictions, 2), ElementsAre("b", "a1", "a"));
  EXPECT_THAT(scores(predictions, 2), ElementsAre(-1, -2, -3));
}

TEST(Predictions, SamplesByName) {
  const std::string text = "sample,rank,label,score\n10,1,a,1\n\"y,z\",1,b,1\nx,1,a1,1\n";
  const Predictions predictions = read(text, named());
  EXPECT_THAT(labels(predictions, 0), ElementsAre("a1"));
  EXPECT_THAT(labels(predictions, 1), ElementsAre("b"));
  EXPECT_THAT(labels(predictions, 2), ElementsAre("a"));
  expect_error("sample,label\nx,a\n0,a\n", 3, "sample '0' is not in the data; expected the name of one of its 3",
               named());
}

TEST(Predictions, AViewIsNamedAsTheWhole) {
  const Dataset part = three().subset({2, 0});
  const Predictions predictions = read("sample,label\n0,a\n2,b\n", part);
  EXPECT_THAT(labels(predictions, 0), ElementsAre("b"));
  EXPECT_THAT(labels(predictions, 1), ElementsAre("a"));
  expect_error("sample,label\n0,a\n1,b\n", 3, "sample '1' is not in the data; expected the number of one of its 2",
               part);

  const Dataset names = named().subset({2, 0});
  EXPECT_THAT(labels(read("sample,label\nx,a\n10,b\n", names), 0), ElementsAre("b"));
  expect_error("sample,label\nx,a\n\"y,z\",b\n", 3, "sample 'y,z' is not in the data", names);
}

TEST(Predictions, MiscellaneousLeavesGoByTheirOwnName) {
  const Taxonomy extended = small_taxonomy().with_miscellaneous_leaves(std::vector<NodeId>{1});
  const NodeId leaf = extended.miscellaneous_leaf(1);
  ASSERT_NE(leaf, kNoNode);
  const Dataset data = samples_of(extended, 1);
  const Predictions predictions = read("sample,label\n0,\"" + extended.name(leaf) + "\"\n", data);
  EXPECT_EQ(predictions.labels_of(0)[0], leaf);
}

TEST(Predictions, DataWithoutSamplesHasNoRows) {
  const Dataset none = samples_of(small_taxonomy(), 0);
  EXPECT_EQ(read("sample,rank,label,score\n", none).samples(), 0);
  expect_error("sample,label\n0,a\n", 2, "sample '0' is not in the data; expected no rows", none);
}

TEST(Predictions, HeadersThatDoNotDo) {
  expect_error("", 1, "empty file; expected a header such as sample,rank,label,score");
  expect_error(" \n\t\n", 1, "empty file");
  expect_error("sample,rank,label,score\n", 1, "a header and no rows; expected rows for the 3 samples");
  expect_error("\nsample,rank,label,score\n\n\n", 2, "a header and no rows");
  expect_error("rank,label,score\n1,a,1\n", 1, "no column is named 'sample', only 'rank', 'label', 'score'");
  expect_error("sample\trank\tclass\n0\t1\ta\n", 1, "no column is named 'label', only 'sample', 'rank', 'class'");
  expect_error("0,1,a1,0.75\n", 1, "no column is named 'sample', only '0', '1', 'a1', '0.75'");
  expect_error("1,2,3,4,5,6,7,8,9,10,11,12\n", 1, "'10' and 2 more; expected a header");
  expect_error("sample,label,label\n0,a,b\n", 1, "columns 2 and 3 are both named 'label'");
  expect_error("sample,label,rank,Rank\n0,a,1,1\n", 1, "columns 3 and 4 are both named 'rank'");
  expect_error("sample,label\r0,a\r1,b\r", 1, "carriage returns alone as line ends");
  expect_error("sample,label,\"note\n0,a,1\n", 1, "a quoted field is not closed");
  expect_error("sample,label,caf\xE9\n0,a,1\n", 1, "byte 0xE9 is not UTF-8; expected UTF-8 text");
}

TEST(Predictions, RowsThatCannotBeRead) {
  const auto bad = [](std::string_view row, std::string_view piece) {
    expect_error("sample,rank,label,score\n0,1,a,1\n\n" + std::string(row) + "\n2,1,a,1\nbad\n", 4, piece);
  };
  bad("1,1,a", "3 columns; expected 4 as in the header");
  bad("1,1,a,1,", "5 columns; expected 4");
  bad("1", "1 column; expected 4");
  bad(" ", "1 column; expected 4");
  bad("1,1,\"a\"x,1", "a quoted field is not closed, or text follows it");
  bad("1,1,a,1\xFF", "byte 0xFF is not UTF-8");
  bad("3,1,a,1", "sample '3' is not in the data; expected a number from 0 to 2, as its samples have no names");
  bad("-1,1,a,1", "sample '-1' is not in the data");
  bad("1.0,1,a,1", "sample '1.0' is not in the data");
  bad("99999999999999999999999,1,a,1", "is not in the data");
  bad(",1,a,1", "sample '' is not in the data");
  bad("1,1,c,1", "label 'c' is not in the taxonomy");
  bad("1,1,A,1", "label 'A' is not in the taxonomy");
  bad("1,1,,1", "label '' is not in the taxonomy");
  bad("1,0,a,1", "'0' is not a rank; expected a whole number from 1");
  bad("1,-1,a,1", "'-1' is not a rank");
  bad("1,1.5,a,1", "'1.5' is not a rank");
  bad("1,,a,1", "'' is not a rank");
  bad("1,first,a,1", "'first' is not a rank");
  bad("1,4294967297,a,1", "'4294967297' is not a rank");
  bad("1,1,a,nan", "score 'nan' is not finite; expected a finite number");
  bad("1,1,a,-inf", "score '-inf' is not finite");
  bad("1,1,a,1e999", "score '1e999' is not finite");
  bad("1,1,a,", "score '' is not a number");
  bad("1,1,a,high", "score 'high' is not a number");
  bad("1,1,a,1 2", "score '1 2' is not a number");
  expect_error("sample,rank,label,score\n0,1,a,1\n1,1,\"a,1\n2,1,a,1\n", 3, "a quoted field is not closed");
}

TEST(Predictions, RowsThatDoNotGoTogether) {
  const auto bad = [](std::string_view rows, Index line, std::string_view piece) {
    expect_error("sample,rank,label,score\n" + std::string(rows), line, piece);
  };
  bad("0,1,a,1\n1,1,a,1\n2,1,a,1\n1,1,b,1\n", 5, "sample '1' has rank 1 in line 3 already; expected each rank once");
  bad("1,2,b,1\n0,1,a,1\n1,1,a,1\n2,1,a,1\n\n1,2,a1,1\n", 7, "sample '1' has rank 2 in line 2 already");
  bad("0,1,a,1\n1,1,a,1\n1,3,b,1\n2,1,a,1\n", 4, "sample '1' has rank 3 but no rank 2; expected ranks 1, 2, 3, ...");
  bad("0,1,a,1\n1,2,a,1\n2,1,a,1\n", 3, "sample '1' has rank 2 but no rank 1");
  bad("0,2147483647,a,1\n0,2147483647,b,1\n", 2, "has rank 2147483647 but no rank 1");
  bad("0,1,a,1\n0,2,b,1\n0,3,a,1\n1,1,a,1\n2,1,a,1\n", 4, "sample '0' has label 'a' in line 2 already; expected each");
  bad("0,1,a,0.5\n1,1,a,0.5\n1,2,b,0.9\n2,1,a,1\n", 4,
      "score 0.9 at rank 2 is above 0.5 at rank 1; expected scores that do not rise");
  bad("0,1,a,1\n2,1,a,1\n", 3, "the file ends without a prediction of sample '1'; expected all 3 samples of the data");
  bad("1,1,a,1\n1,2,b,1\n", 3, "the file ends without a prediction of sample '0' and 1 more");
  expect_error("sample,label\n0,a\n1,b\n2,a\n1,b\n", 5, "sample '1' has label 'b' in line 3 already");
  expect_error("sample,label\nx,a\n10,b\n", 3, "without a prediction of sample 'y,z'", named());
}

TEST(Predictions, TheFirstConflictInTheFileIsReported) {
  // Sample 2's comes first in the file, sample 0's first among the samples.
  expect_error("sample,rank,label,score\n2,1,a,1\n2,1,b,1\n0,1,a,1\n0,1,b,1\n1,1,a,1\n", 3, "sample '2' has rank 1");
  // A row that cannot be read is reported before rows that do not go together.
  expect_error("sample,rank,label,score\n2,1,a,1\n2,1,b,1\n0,1,nowhere,1\n", 4, "label 'nowhere'");
}

TEST(Predictions, SampleNamesThatRepeatAreRefused) {
  const Dataset twins = samples_of(small_taxonomy(), 3, {"x", "y", "x"});
  expect_error("sample,label\nx,a\ny,a\n", 0, "sample 'x' is in the data more than once", twins);
  expect_error("sample,label\n0,a\n1,a\n", 0, "sample '1' is in the data more than once", three().subset({1, 0, 1}));
}

// Several chunks: rows of a sample lie in different ones, and so do the two lines of a conflict.
TEST(Predictions, LargeFilesAreTheSameForAnyNumberOfThreads) {
  constexpr Index kSamples = 60000;
  const Taxonomy taxonomy = small_taxonomy();
  const Dataset data = samples_of(taxonomy, kSamples);
  RandomStream random(4, {kTestStream});
  std::vector<std::string> rows;
  Predictions expected;
  for (Index s = 0; s < kSamples; ++s) {
    double score = random.normal();
    const auto count = 1 + static_cast<NodeId>(random.below(3));
    for (NodeId k = 0; k < count; ++k) {
      const NodeId label = (static_cast<NodeId>(s) + k) % taxonomy.size();
      rows.push_back(std::to_string(s) + "," + std::to_string(k + 1) + ",\"" + taxonomy.name(label) + "\"," +
                     std::to_string(score) + "\n");
      expected.labels.push_back(label);
      expected.scores.push_back(std::stod(std::to_string(score)));
      score -= random.uniform();
    }
    expected.offsets.push_back(static_cast<Index>(expected.labels.size()));
  }
  const auto text_of = [&] {
    std::string text = "sample,rank,label,score\n";
    for (const std::string& row : rows) text += row;
    return text;
  };
  for (const bool shuffled : {false, true}) {
    if (shuffled) random.shuffle(std::span(rows));
    const std::string text = text_of();
    for (const int threads : {1, 2, 3}) {
      const Predictions predictions = read(text, data, threads);
      EXPECT_EQ(predictions.offsets, expected.offsets);
      EXPECT_EQ(predictions.labels, expected.labels);
      EXPECT_EQ(predictions.scores, expected.scores);
    }
  }
  const Index last = std::ssize(rows) + 2;
  expect_error(text_of() + rows[5], last, "in line 7 already", data);
  expect_error(text_of() + "0,1,a\n" + rows[5], last, "3 columns", data);
  rows[70000] = "x" + rows[70000];
  rows[90000] = "x" + rows[90000];
  expect_error(text_of(), 70002, "sample 'x", data);
}

TEST(Predictions, FilesAreReadFromTheDiskAndWhatIsNotThereIsNamed) {
  const TemporaryFolder folder;
  Context ctx({.threads = 2});
  const std::string path = folder.write("p.csv", "sample,label\n0,a\n1,b\n2,a1\n");
  EXPECT_THAT(labels(read_predictions(path, three(), ctx), 2), ElementsAre("a1"));
  EXPECT_THROW(read_predictions(folder.file("none.csv"), three(), ctx), Error);
}

}  // namespace
}  // namespace clade
