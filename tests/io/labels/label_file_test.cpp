#include "io/labels/label_file.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "io/array_test_support.h"
#include "io/numpy/npy_header.h"
#include "real_data.h"

namespace clade {
namespace {

using ::testing::ElementsAre;
using testing::expect_input_error;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Result {
  std::vector<std::string> labels;
  std::vector<std::string> notes;
};

Result parse(const std::string& name, const std::string& text, Index samples,
             const std::vector<std::string>& sample_names = {}, const ReadOptions& options = ReadOptions()) {
  Context ctx(Context::Options{.threads = 1});
  Result result;
  const Input input = Input::from_bytes(name, text);
  const LabelNames labels = parse_labels(input, options, sample_names, samples, result.notes, ctx);
  EXPECT_EQ(labels.samples(), samples);
  result.labels = testing::labels_of(labels);
  return result;
}

TEST(LabelFile, OneLabelSetPerLine) {
  EXPECT_THAT(parse("y.txt", "a\nb;a\r\n\n c | d\n", 4).labels, ElementsAre("a", "b+a", "", "c+d"));
  EXPECT_THAT(parse("y.txt", "a\nb", 2).labels, ElementsAre("a", "b"));
  EXPECT_THAT(parse("y.txt", "a\nb", 2).notes, IsEmpty());
  EXPECT_THAT(parse("y.txt", "", 0).labels, IsEmpty());
  EXPECT_THAT(parse("y.txt",
                    "\xEF\xBB\xBF"
                    "a\n",
                    1)
                  .labels,
              ElementsAre("a"));
}

TEST(LabelFile, SeparatorsAreTheUsers) {
  ReadOptions options;
  options.label_separators = "\t ";
  EXPECT_THAT(parse("y.txt", "a;b\tc d\n", 1, {}, options).labels, ElementsAre("a;b+c+d"));
}

TEST(LabelFile, OtherCountsAreErrors) {
  expect_input_error(2, "y.txt:2: labels for 2 samples; expected 3", [] { parse("y.txt", "a\nb\n", 3); });
  expect_input_error(2, "labels for 3 samples; expected 1", [] { parse("y.txt", "a\nb\nc", 1); });
  expect_input_error(0, "labels for 0 samples; expected 1", [] { parse("y.txt", "", 1); });
  expect_input_error(1, "labels for 1 samples; expected 2", [] { parse("y.txt", "0\ttrain\ta", 2); });
}

TEST(LabelFile, EmptyLabelsAreErrors) {
  expect_input_error(2, "an empty label", [] { parse("y.txt", "a\nb;;c\n", 2); });
  expect_input_error(2, "an empty label", [] { parse("y.txt", "a\nb;\n", 2); });
  expect_input_error(1, "an empty label", [] { parse("y.txt", "0\ttrain\t;a\n", 1); });
}

TEST(LabelFile, OtherEncodingsAreErrorsUnlessNamed) {
  expect_input_error(2, "not UTF-8", [] { parse("y.txt", "a\ncaf\xE9\n", 2); });
  ReadOptions options;
  options.encoding = Encoding::kLatin1;
  EXPECT_THAT(parse("y.txt", "a\ncaf\xE9\n", 2, {}, options).labels, ElementsAre("a", "café"));
}

TEST(LabelFile, TheLastColumnOfATable) {
  const Result result = parse("t.txt", "0\ttrain\tx\n1\ttest\ty;z\n2\ttest\t", 3);
  EXPECT_THAT(result.labels, ElementsAre("x", "y+z", ""));
  EXPECT_THAT(result.notes, ElementsAre("labels from column 3 of t.txt"));
  EXPECT_THAT(parse("t.txt", "0\tx\n1\ty\n", 2).labels, ElementsAre("x", "y"));
  expect_input_error(2, "2 columns; expected 3", [] { parse("t.txt", "0\ttrain\tx\n1\ty\n", 2); });
  expect_input_error(2, "1 columns; expected 3", [] { parse("t.txt", "0\ttrain\tx\n\n", 2); });
}

// `whole` lines of a class and then `cut` lines of it less its last letter.
std::string table(const std::string& name, int whole, int cut, const char* part = "train") {
  std::string text;
  for (int k = 0; k < whole + cut; ++k) {
    text += std::to_string(k) + "\t" + part + "\t" + (k < whole ? name : name.substr(0, name.size() - 1)) + "\n";
  }
  return text;
}

TEST(LabelFile, ALostLastLetterIsGivenBackAndSaid) {
  const Result result = parse("t.txt", table("student", 40, 2) + table("course", 20, 1), 63);
  EXPECT_EQ(std::count(result.labels.begin(), result.labels.end(), "student"), 42);
  EXPECT_EQ(std::count(result.labels.begin(), result.labels.end(), "course"), 21);
  EXPECT_THAT(result.notes[1], "3 labels that lack their last letter: 2 'studen' as 'student', 1 'cours' as 'course'");
}

TEST(LabelFile, NothingElseIsTakenForALostLetter) {
  const auto unchanged = [](const std::string& text, const std::string& label, Index count) {
    const Result result = parse("t.txt", text, std::count(text.begin(), text.end(), '\n'));
    EXPECT_EQ(std::count(result.labels.begin(), result.labels.end(), label), count) << text;
    EXPECT_EQ(result.notes.size(), 1U);
  };
  unchanged(table("AB", 39, 2), "A", 2);                             // not rare enough
  unchanged(table("class10", 40, 1), "class1", 1);                   // no letter
  unchanged(table("cats", 40, 1) + table("cata", 40, 0), "cat", 1);  // which one?
  unchanged(table("student", 40, 2, "fold3"), "studen", 2);          // another kind of table
  // The whole form of ab, abc, is itself taken for a cut abcd: no second letter is given back.
  const Result chain = parse("t.txt", table("abc", 400, 20) + table("abcd", 8000, 0), 8420);
  EXPECT_EQ(std::count(chain.labels.begin(), chain.labels.end(), "ab"), 20);
  const std::string lines = "studen\n" + std::string(40, 'x');
  EXPECT_THAT(parse("t.txt", lines, 2).notes, IsEmpty());
}

TEST(LabelFile, ClassLists) {
  const std::vector<std::string> names{"003", "001", "002", "009"};
  const Result comma = parse("c.disjoint.clist", "sport, 001,003\nhealth, 002\n", 4, names);
  EXPECT_THAT(comma.labels, ElementsAre("sport", "sport", "health", ""));
  EXPECT_THAT(comma.notes, ElementsAre("c.disjoint.clist: 1 samples in no class"));
  const Result colon = parse("c.clist.gz", "sport: 001,003 , 777\r\n\r\nhealth: 003,002,003,\nempty:\n", 4, names);
  EXPECT_THAT(colon.labels, ElementsAre("sport+health", "sport", "health", ""));
  EXPECT_THAT(colon.notes, ElementsAre("c.clist: 1 mentions of samples that are not in the data",
                                       "c.clist: 1 repeated mentions", "c.clist: 1 samples in no class"));
}

TEST(LabelFile, BadClassListsAreErrors) {
  const std::vector<std::string> names{"1", "2"};
  expect_input_error(2, "no class with its samples", [&] { parse("c.clist", "a, 1\nsport\n", 2, names); });
  expect_input_error(1, "no class with its samples", [&] { parse("c.clist", ", 1\n", 2, names); });
  expect_input_error(0, "none of the 2 samples it names is known", [&] { parse("c.clist", "a, 3,4\n", 2, names); });
  expect_input_error(0, "none of the 0 samples", [&] { parse("c.clist", "", 2, names); });
  expect_input_error(0, "these have none", [&] { parse("c.clist", "a, 1\n", 2); });
  expect_input_error(0, "'1' occurs twice", [&] { parse("c.clist", "a, 1\n", 2, {"1", "1"}); });
}

TEST(LabelFile, NumpyArrays) {
  const std::string numbers = npy_header_text("|u1", {3}) + std::string("\5\7\5", 3);
  EXPECT_THAT(parse("y.npy", numbers, 3).labels, ElementsAre("5", "7", "5"));
  const std::string strings = npy_header_text("|S2", {2}) + std::string("abc\0", 4);
  EXPECT_THAT(parse("y.npy", strings, 2).labels, ElementsAre("ab", "c"));
  expect_input_error(0, "y.npy: labels for 3 samples; expected 2", [&] { parse("y.npy", numbers, 2); });
}

TEST(LabelFile, WebKb) {
  const std::string folder = real_data_folder().string();
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no data in " << folder << "; set CLADE_DATA";
  Context ctx;
  std::vector<std::string> notes;
  const auto labels = read_label_file(folder + "/WebKB4/WebKB.txt", ReadOptions(), {}, 4199, notes, ctx);
  EXPECT_THAT(labels.names(), ::testing::UnorderedElementsAre("student", "faculty", "course", "project"));
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_THAT(notes[1], HasSubstr("31 labels that lack their last letter"));
}

}  // namespace
}  // namespace clade
