#include "io/text/text_support.h"

namespace clade {
namespace {

class TextFolder : public TextSource {
 protected:
  ParsedData read(const ReadOptions& options = plain_options()) {
    return read_text_folder(root.string(), options, ctx);
  }
  std::string input_error_of(const ReadOptions& options = plain_options()) {
    return error_of(Error::Kind::kInput, [&] { read(options); });
  }
};

TEST_F(TextFolder, ClassIsTheFolderAndRowsAreInTheOrderOfPaths) {
  write("b/2.txt", "two two");
  write("a/10.txt", "ten");
  write("b/1.txt", "One two.");
  write("a/x/9.txt", "nine ten");
  const ParsedData data = read();
  EXPECT_THAT(data.sample_names, ElementsAre("a/10.txt", "a/x/9.txt", "b/1.txt", "b/2.txt"));
  EXPECT_THAT(all_labels(data), ElementsAre("a", "x", "b", "b"));
  EXPECT_THAT(data.feature_names, ElementsAre("nine", "one", "ten", "two"));
  EXPECT_THAT(all_rows(data), ElementsAre("ten:1", "nine:1 ten:1", "one:1 two:1", "two:2"));
  EXPECT_EQ(data.vectorizer->words, data.feature_names);
  EXPECT_EQ(data.vectorizer->documents, 4);
  EXPECT_THAT(data.notes, IsEmpty());
}

TEST_F(TextFolder, ClassCanBeTheWholePath) {
  write("rec/sport/1", "a");
  write("rec/2", "b");
  write("3", "c");
  ReadOptions options = plain_options();
  options.class_from = ClassFrom::kPath;
  const ParsedData data = read(options);
  EXPECT_THAT(data.sample_names, ElementsAre("3", "rec/2", "rec/sport/1"));
  EXPECT_THAT(all_labels(data), ElementsAre("", "rec", "rec/sport"));
  EXPECT_THAT(data.notes, ElementsAre("1 document outside any class folder: no label"));
  options.path_separator = "--";
  EXPECT_THAT(all_labels(read(options)), ElementsAre("", "rec", "rec--sport"));
}

TEST_F(TextFolder, UnderTakesAPartAndClassesStartThere) {
  write("train/rec/1", "a");
  write("test/rec/1", "b");
  write("test/sci/x/2", "c");
  write("tests/rec/9", "d");
  ReadOptions options = plain_options();
  options.under = "./test//";
  options.class_from = ClassFrom::kPath;
  const ParsedData data = read(options);
  EXPECT_THAT(data.sample_names, ElementsAre("test/rec/1", "test/sci/x/2"));
  EXPECT_THAT(all_labels(data), ElementsAre("rec", "sci/x"));
  options.under = "test/sci";
  options.class_from = ClassFrom::kFolder;
  EXPECT_THAT(all_labels(read(options)), ElementsAre("x"));
  options.under = "rec";
  EXPECT_THAT(input_error_of(options), HasSubstr("no document below 'rec'"));
}

TEST_F(TextFolder, SkipsHiddenNamesAndSaysSo) {
  write("a/1", "one");
  write("a/.hidden", "secret");
  write(".git/x", "secret");
  const ParsedData data = read();
  EXPECT_THAT(data.sample_names, ElementsAre("a/1"));
  EXPECT_THAT(data.notes, ElementsAre("2 hidden names skipped"));
}

TEST_F(TextFolder, LinksMakeNoLoops) {
  write("a/1", "one");
  fs::create_directory_symlink("..", root / "a" / "up");
  fs::create_directory_symlink(".", root / "self");
  fs::create_symlink("1", root / "a" / "2");
  const ParsedData data = read();
  EXPECT_THAT(data.sample_names, ElementsAre("a/1", "a/2"));
  EXPECT_THAT(all_rows(data), ElementsAre("one:1", "one:1"));
  EXPECT_THAT(data.notes, ElementsAre(HasSubstr("2 links skipped")));
}

TEST_F(TextFolder, BrokenLinksAreErrors) {
  write("a/1", "one");
  fs::create_symlink("nowhere", root / "a" / "2");
  EXPECT_THAT(error_of(Error::Kind::kSystem, [&] { read(); }), HasSubstr("a/2: cannot follow the link"));
  fs::remove(root / "a" / "2");
  fs::create_symlink("2", root / "a" / "2");
  EXPECT_THAT(error_of(Error::Kind::kSystem, [&] { read(); }), HasSubstr("a/2: cannot follow the link"));
}

TEST_F(TextFolder, SpecialFilesAreSkippedNotWaitedFor) {
  write("a/1", "one");
  ASSERT_EQ(::mkfifo((root / "a" / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(read().notes, ElementsAre("1 special file skipped"));
}

TEST_F(TextFolder, OtherEncodingsAreReadAsLatin1AndCounted) {
  write("a/1", "caf\xE9");
  write("a/2", "caf\xC3\xA9");
  write("a/3", "plain");
  EXPECT_THAT(all_rows(read()), ElementsAre("caf\xC3\xA9:1", "caf\xC3\xA9:1", "plain:1"));
  EXPECT_THAT(read().notes, ElementsAre("1 document not in UTF-8, read as Latin-1"));

  ReadOptions options = plain_options();
  options.encoding = Encoding::kLatin1;
  EXPECT_THAT(read(options).feature_names, ElementsAre("caf\xC3\xA3", "caf\xC3\xA9", "plain"));  // the (c) separates
  EXPECT_THAT(read(options).notes, IsEmpty());
  options.encoding = Encoding::kUtf8;
  EXPECT_THAT(input_error_of(options), HasSubstr("a/1:1: the text is not UTF-8"));
  write("a/1", "fine\nfine\nna\xEFve");
  EXPECT_THAT(input_error_of(options), HasSubstr("a/1:3: the text is not UTF-8"));
}

TEST_F(TextFolder, Utf16IsAnErrorAndZeroBytesAreNoted) {
  write("a/1", std::string_view("ab\0cd", 5));
  EXPECT_THAT(read().notes, ElementsAre(HasSubstr("1 document with zero bytes")));
  EXPECT_THAT(all_rows(read()), ElementsAre("ab:1 cd:1"));
  write("a/1", std::string_view("\xFF\xFEh\0i\0", 6));
  EXPECT_THAT(input_error_of(), HasSubstr("a/1: the text is UTF-16"));
}

TEST_F(TextFolder, FileNamesInLatin1BecomeUtf8) {
  write("caf\xE9/1", "one");
  const ParsedData data = read();
  EXPECT_THAT(data.sample_names, ElementsAre("caf\xC3\xA9/1"));
  EXPECT_THAT(all_labels(data), ElementsAre("caf\xC3\xA9"));
  EXPECT_THAT(data.notes, ElementsAre("1 file name not in UTF-8, read as Latin-1"));
}

TEST_F(TextFolder, EmptyDocumentsStayAndRepeatsStay) {
  write("a/1", "");
  write("a/2", "same");
  write("b/3", "same");
  const ParsedData data = read();
  EXPECT_THAT(all_rows(data), ElementsAre("", "same:1", "same:1"));
  EXPECT_THAT(data.notes, ElementsAre("1 document without a word of the vocabulary: all values are 0"));
}

TEST_F(TextFolder, NothingToReadIsAnError) {
  EXPECT_THAT(input_error_of(), HasSubstr("no document"));
  write("a/1", " ... ");
  EXPECT_THAT(input_error_of(), HasSubstr("no word is left"));
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read_text_folder((root / "none").string(), plain_options(), ctx); }),
              HasSubstr("none: no such file or folder"));
}

TEST_F(TextFolder, PrecisionIsHonoured) {
  write("a/1", "one two");
  write("a/2", "two");
  ReadOptions options;
  options.precision = Precision::kFloat;
  EXPECT_TRUE(is_single_precision(read(options).features));
}

TEST_F(TextFolder, BadTextOptionsAreErrorsBeforeReading) {
  write("a/1", "one");
  ReadOptions options = plain_options();
  options.text.stem = "klingon";
  EXPECT_THAT(input_error_of(options), AllOf(HasSubstr("klingon"), HasSubstr("english")));
}

}  // namespace
}  // namespace clade
