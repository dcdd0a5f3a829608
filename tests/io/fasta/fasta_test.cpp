#include "io/fasta/fasta.h"

#include "io/text/text_support.h"

namespace clade {
namespace {

// Row r as the string it was.
std::string sequence(const ParsedData& data, Index r) {
  const auto& matrix = std::get<SparseMatrix<double>>(data.features);
  std::string text;
  for (std::size_t k = 0; k < matrix.row_values(r).size(); ++k) {
    EXPECT_EQ(matrix.row_indices(r)[k], static_cast<FeatureIndex>(k));
    text += static_cast<char>(matrix.row_values(r)[k]);
  }
  return text;
}

std::vector<std::string> sequences(const ParsedData& data) {
  std::vector<std::string> all;
  for (Index r = 0; r < row_count(data.features); ++r) all.push_back(sequence(data, r));
  return all;
}

class Fasta : public TextSource {
 protected:
  ParsedData read(std::string_view text, const ReadOptions& options = {}) {
    return read_fasta(Input::from_bytes("x.fasta", text), options, ctx);
  }
  std::string refused(std::string_view text, const ReadOptions& options = {}) {
    return error_of(Error::Kind::kInput, [&] { read(text, options); });
  }
};

TEST_F(Fasta, SequencesOverSeveralLines) {
  const ParsedData data =
      read(">one label=a/b first of all\nMKV L\r\nAA*\n\n>two\tlabels=x;y|z\nACGT-acgt\n>three class=q");
  EXPECT_THAT(sequences(data), ElementsAre("MKVLAA*", "ACGT-acgt", ""));
  EXPECT_THAT(data.sample_names, ElementsAre("one", "two", "three"));
  EXPECT_THAT(all_labels(data), ElementsAre("a/b", "x,y,z", "q"));
  EXPECT_THAT(data.notes, ElementsAre("1 sequence without a symbol"));
  EXPECT_EQ(column_count(data.features), 9);
  EXPECT_THAT(data.feature_names, IsEmpty());
  EXPECT_TRUE(data.vectorizer->options.sequences);
}

// The header of UniProt says nothing of labels, whatever its words are.
TEST_F(Fasta, WithoutLabels) {
  const ParsedData data = read("; a comment\n>sp|P69905|HBA_HUMAN Hemoglobin subunit alpha OS=Homo sapiens\nMVLS\n");
  EXPECT_THAT(data.sample_names, ElementsAre("sp|P69905|HBA_HUMAN"));
  EXPECT_THAT(all_labels(data), ElementsAre(""));
  EXPECT_THAT(data.notes, ElementsAre("1 comment line passed over", "1 sequence without a label"));
}

TEST_F(Fasta, LabelsStandWhereTheUserSays) {
  const std::string_view astral = ">d1dlwa_ a.1.1.1 (A:) Protozoan hemoglobin\nSLFEQ\n>x b.2\nAA\n>y\nAA\n";
  EXPECT_THAT(all_labels(read(astral, {.label_column = "2"})), ElementsAre("a.1.1.1", "b.2", ""));
  EXPECT_THAT(all_labels(read(">a label=x OS=y\nA\n>b OS=\nA\n", {.label_column = "OS"})), ElementsAre("y", ""));
  EXPECT_THAT(all_labels(read(">a label=x\nA\n", {.label_column = "none"})), ElementsAre(""));
  EXPECT_THAT(all_labels(read(">a label=x,y;z\nA\n", {.label_separators = ","})), ElementsAre("x,y;z"));
  ReadOptions options{.labels_file = write("labels.txt", "p\nq;r\n")};
  EXPECT_THAT(all_labels(read(">a label=x\nA\n>b\nA\n", options)), ElementsAre("p", "q,r"));
  EXPECT_THAT(refused(">a\nA\n", options), HasSubstr("labels.txt"));
  EXPECT_THAT(refused(">a\nA\n", {.label_column = "1"}), HasSubstr("`label-column`"));
}

TEST_F(Fasta, WhatIsNoneIsRefusedWithItsLine) {
  EXPECT_THAT(refused("\n\nACGT\n>a\nA\n"), HasSubstr("x.fasta:3: text before the first sequence: 'ACGT'"));
  EXPECT_THAT(refused(">a\nAC\n> \nAC\n"), HasSubstr("x.fasta:3: a sequence without a name"));
  EXPECT_THAT(refused("\n"), HasSubstr("no sequence"));
  EXPECT_THAT(refused(">a\n>b\n\n"), HasSubstr("no symbol"));
  EXPECT_THAT(refused(">a\nA\xE9\n", {.encoding = Encoding::kUtf8}), HasSubstr("not UTF-8"));
}

TEST_F(Fasta, SymbolsAreCharacters) {
  const ParsedData data = read("\xEF\xBB\xBF>a\n\xC3\xA9\xE2\x82\xAC\xC2\xA0z\x01\n");
  const auto& matrix = std::get<SparseMatrix<double>>(data.features);
  EXPECT_THAT(matrix.row_values(0), ElementsAre(0xE9, 0x20AC, 'z'));
}

TEST_F(Fasta, AVocabularyOfWordsIsNoWayToReadSequences) {
  auto words = std::make_shared<TextVectorizer>();
  words->documents = 1;
  ReadOptions options;
  options.vectorizer = words;
  EXPECT_THAT(refused(">a\nA\n", options), HasSubstr("the vocabulary is of words"));
  auto other = std::make_shared<TextVectorizer>();
  other->options.sequences = true;
  other->documents = 7;
  options.vectorizer = other;
  EXPECT_EQ(column_count(read(">a\nACGT\n", options).features), 4);
}

// The same strings from every layout of text.
TEST_F(Fasta, OtherTextsAsSequences) {
  ReadOptions options;
  options.text.sequences = true;
  const auto rows = [&](const ParsedData& data) {
    EXPECT_TRUE(data.vectorizer->options.sequences);
    EXPECT_EQ(column_count(data.features), 5);
    return sequences(data);
  };
  const std::vector<std::string> expected{"The!a", "", "zz"};
  EXPECT_EQ(rows(read_text_lines(Input::from_bytes("x.txt", "The! a\n\nzz\n"), options, ctx)), expected);
  EXPECT_EQ(
      rows(read_json_lines(
          Input::from_bytes("x.json", "{\"text\": \"The!\\ta\"}\n{\"text\": \"\"}\n{\"doc_token\": [\"z\", \"z\"]}\n"),
          options, ctx)),
      expected);
  write("docs/a/1", "The!\n a");
  write("docs/a/2", "\n");
  write("docs/b/3", "zz");
  EXPECT_EQ(rows(read_text_folder((root / "docs").string(), options, ctx)), expected);
  options.precision = Precision::kFloat;
  const ParsedData single = read_text_lines(Input::from_bytes("x.txt", "ab\n"), options, ctx);
  EXPECT_THAT(std::get<SparseMatrix<float>>(single.features).row_values(0), ElementsAre('a', 'b'));
}

TEST_F(Fasta, ThreadsDoNotShow) {
  RandomStream random(1, {kTestStream, 80});
  std::vector<std::string> strings(30'000);
  std::string text;
  for (std::string& string : strings) {
    for (Index k = random.below(200); k > 0; --k) string += static_cast<char>('A' + random.below(20));
    text += string + '\n';
  }
  ReadOptions options;
  options.text.sequences = true;
  const Input input = Input::from_bytes("x.txt", text);
  const ParsedData two = read_text_lines(input, options, ctx);
  Context one({.threads = 1});
  expect_same(two, read_text_lines(input, options, one));
  EXPECT_EQ(sequences(two), strings);
}

}  // namespace
}  // namespace clade
