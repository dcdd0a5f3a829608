#include "io/text/text_support.h"

namespace clade {
namespace {

class TextLines : public TextSource {
 protected:
  ParsedData read(std::string_view text, const ReadOptions& options = plain_options()) {
    return read_text_lines(Input::from_bytes("x.txt", text), options, ctx);
  }
};

TEST_F(TextLines, EveryLineIsADocument) {
  const ParsedData data = read("b a b\r\n\nc\nlast");
  EXPECT_THAT(all_rows(data), ElementsAre("a:1 b:2", "", "c:1", "last:1"));
  EXPECT_THAT(all_labels(data), ElementsAre("", "", "", ""));
  EXPECT_THAT(data.sample_names, IsEmpty());
  EXPECT_THAT(data.notes, ElementsAre(HasSubstr("1 document without a word")));
  EXPECT_EQ(row_count(read("a\nb\n").features), 2);
}

TEST_F(TextLines, LabelsComeFromTheirFile) {
  ReadOptions options = plain_options();
  options.labels_file = write("labels.txt", "0\ttrain\tx\n1\ttest\ty");
  EXPECT_THAT(all_labels(read("a\nb", options)), ElementsAre("x", "y"));
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read("a\nb\nc", options); }), HasSubstr("labels.txt"));
}

TEST_F(TextLines, EncodingIsALinesOwn) {
  const ParsedData data = read("caf\xE9\ncaf\xC3\xA9\n");
  EXPECT_THAT(data.feature_names, ElementsAre("caf\xC3\xA9"));
  EXPECT_THAT(data.notes, ElementsAre("1 document not in UTF-8, read as Latin-1"));
  ReadOptions options = plain_options();
  options.encoding = Encoding::kUtf8;
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read("a\nb\ncaf\xE9\n", options); }),
              HasSubstr("x.txt:3: the text is not UTF-8"));
}

TEST_F(TextLines, AMarkOfByteOrderIsNoWord) {
  EXPECT_THAT(all_rows(read("\xEF\xBB\xBF"
                            "abc\n")),
              ElementsAre("abc:1"));
}

TEST_F(TextLines, BlankLinesWithoutEndAreRefusedBeforeTheyCostMemory) {
  const std::string blank(2'100'000, '\n');
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read(blank); }), HasSubstr("2100000 samples in a file of 2100000"));
}

TEST_F(TextLines, NothingIsAnError) {
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read(""); }), HasSubstr("x.txt: no document"));
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read("\n\n"); }), HasSubstr("x.txt: no word is left"));
}

std::string random_lines(Index lines) {
  RandomStream random(3, {kTestStream, 11});
  std::string text;
  for (Index l = 0; l < lines; ++l) {
    for (Index w = random.below(120); w > 0; --w) {
      text += "word" + std::to_string(static_cast<int>(std::pow(5000.0, random.uniform()))) + ' ';
    }
    text += '\n';
  }
  return text;
}

TEST_F(TextLines, ThreadsChangeNothing) {
  const std::string text = random_lines(8000);
  ASSERT_GT(text.size(), 3U << 20U);
  Context one({.threads = 1});
  const ParsedData expected = read_text_lines(Input::from_bytes("x.txt", text), ReadOptions(), one);
  EXPECT_EQ(row_count(expected.features), 8000);
  for (const int threads : {2, 3}) {
    Context many({.threads = threads});
    expect_same(read_text_lines(Input::from_bytes("x.txt", text), ReadOptions(), many), expected);
  }
}

TEST_F(TextLines, ErrorsOfLaterChunksHaveTheirLine) {
  ReadOptions options = plain_options();
  options.encoding = Encoding::kUtf8;
  const std::string text = random_lines(8000) + "caf\xE9\n" + random_lines(4000) + "caf\xE9\n";
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read(text, options); }), HasSubstr("x.txt:8001: "));
}

TEST_F(TextLines, AVocabularyLearntBeforeGivesItsColumnsAndItsWays) {
  ReadOptions options;
  options.text.stem = "english";
  const ParsedData learnt = read("running dogs\ncats run\nbirds", options);
  nlohmann::json meta = {{"vectorizer", vectorizer_to_json(*learnt.vectorizer)}};
  ReadOptions later = plain_options();  // overridden by what the vocabulary says
  later.vocabulary = write("x.meta.json", meta.dump());
  const ParsedData data = read("running dogs\nunknown\nThe Birds", later);
  EXPECT_EQ(data.feature_names, learnt.feature_names);
  EXPECT_EQ(data.vectorizer->documents, 3);
  const auto& old_rows = std::get<SparseMatrix<double>>(learnt.features);
  const auto& rows = std::get<SparseMatrix<double>>(data.features);
  EXPECT_TRUE(std::ranges::equal(rows.row_values(0), old_rows.row_values(0)));
  EXPECT_THAT(rows.row_indices(1), IsEmpty());
  EXPECT_TRUE(std::ranges::equal(rows.row_values(2), old_rows.row_values(2)));
}

TEST_F(TextLines, AVocabularyFileThatIsNoneIsAnError) {
  ReadOptions options = plain_options();
  options.vocabulary = write("x.meta.json", "{}");
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read("a", options); }), HasSubstr("no vocabulary in this file"));
  write("x.meta.json", "{\n\"vectorizer\": {]");
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read("a", options); }), HasSubstr("x.meta.json:2"));
  write("x.meta.json", R"({"vectorizer": {"words": 1}})");
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read("a", options); }), HasSubstr("bad vectorizer"));
  write("x.meta.json", "[1e999]");
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read("a", options); }), HasSubstr("x.meta.json"));
  options.vocabulary = (root / "none").string();
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read("a", options); }), HasSubstr("none"));
}

}  // namespace
}  // namespace clade
