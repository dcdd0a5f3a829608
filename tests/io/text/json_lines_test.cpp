#include "io/text/text_support.h"

namespace clade {
namespace {

class JsonLines : public TextSource {
 protected:
  ParsedData read(std::string_view text, const ReadOptions& options = plain_options()) {
    return read_json_lines(Input::from_bytes("x.json", text), options, ctx);
  }
  std::string input_error_of(std::string_view text, const ReadOptions& options = plain_options()) {
    return error_of(Error::Kind::kInput, [&] { read(text, options); });
  }
};

TEST_F(JsonLines, ReadsTextsAndListsOfWords) {
  const ParsedData data = read(
      "{\"doc_label\": [\"a\", \"b\"], \"text\": \"One, two \\u00e9\\n two\", \"extra\": {\"text\": [1, {}]}}\n"
      "\n"
      "{\"doc_token\": [\"Two\", \"New York\", \"\"], \"doc_label\": \"b\", \"doc_keyword\": []}\r\n"
      "  {\"doc_label\": 7, \"doc_token\": []}");
  EXPECT_THAT(all_rows(data), ElementsAre("one:1 two:2 \xC3\xA9:1", "new york:1 two:1", ""));
  EXPECT_THAT(all_labels(data), ElementsAre("a,b", "b", "7"));
  EXPECT_EQ(data.labels.first_line(2), 4);
}

TEST_F(JsonLines, FieldsCanBeNamed) {
  ReadOptions options = plain_options();
  options.text_field = "body";
  options.label_field = "cats";
  const ParsedData data = read(R"({"body": "one", "text": 5, "cats": ["x"]})", options);
  EXPECT_THAT(all_rows(data), ElementsAre("one:1"));
  EXPECT_THAT(all_labels(data), ElementsAre("x"));
}

TEST_F(JsonLines, TextGoesBeforeTokensAndThatIsSaid) {
  const ParsedData data = read(R"({"doc_token": ["two"], "text": "one", "doc_label": "a"})");
  EXPECT_THAT(all_rows(data), ElementsAre("one:1"));
  EXPECT_THAT(data.notes, ElementsAre("1 document with both 'text' and 'doc_token': the first was read"));
  EXPECT_THAT(all_rows(read(R"({"doc_token": ["two"], "text": null, "doc_label": "a"})")), ElementsAre("two:1"));
}

TEST_F(JsonLines, DocumentsWithoutLabelStayAndAreCounted) {
  const ParsedData data = read(
      "{\"text\": \"a\"}\n{\"text\": \"a\", \"doc_label\": []}\n{\"text\": \"a\", \"doc_label\": null}\n"
      "{\"text\": \"a\", \"doc_label\": \"\"}\n{\"text\": \"a\", \"doc_label\": \"x\"}\n");
  EXPECT_THAT(all_labels(data), ElementsAre("", "", "", "", "x"));
  EXPECT_THAT(data.notes, ElementsAre("4 documents without a label in 'doc_label'"));
}

TEST_F(JsonLines, EveryErrorHasItsLine) {
  const std::string good = "{\"text\": \"a\", \"doc_label\": \"x\"}\n\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{\"doc_label\": \"x\"}", "x.json:3: no text in this object"},
      {"{\"text\": null}", "x.json:3: no text in this object"},
      {"[1, 2]", "x.json:3: not a JSON object"},
      {"\"text\"", "x.json:3: not a JSON object"},
      {"3", "x.json:3: not a JSON object"},
      {"null", "x.json:3: not a JSON object"},
      {"true", "x.json:3: not a JSON object"},
      {"{\"text\": \"a\"", "x.json:3:13: not well-formed JSON"},
      {"{\"text\": \"a\"} {}", "x.json:3:15: not well-formed JSON"},
      {"some text", "x.json:3:1: not well-formed JSON"},
      {"{\"text\": \"\\ud800\"}", "not well-formed JSON"},
      {"{\"text\": \"a\", \"n\": 1e999}", "x.json:3"},
      {"{\"text\": 5}", "x.json:3: the text in 'text' is of a wrong type"},
      {"{\"text\": [\"a\", 5]}", "x.json:3: the text in 'text' is of a wrong type"},
      {"{\"text\": [[\"a\"]]}", "x.json:3: the text in 'text' is of a wrong type"},
      {"{\"text\": {\"a\": 1}}", "x.json:3: the text in 'text' is of a wrong type"},
      {"{\"doc_token\": [null]}", "x.json:3: the text in 'doc_token' is of a wrong type"},
      {"{\"text\": \"a\", \"doc_label\": 1.5}", "x.json:3: the labels in 'doc_label' are of a wrong type"},
      {"{\"text\": \"a\", \"doc_label\": [true]}", "x.json:3: the labels in 'doc_label' are of a wrong type"},
      {"{\"text\": \"a\", \"doc_label\": [[\"x\"]]}", "x.json:3: the labels in 'doc_label' are of a wrong type"},
      {"{\"text\": \"a\", \"doc_label\": {\"x\": 1}}", "x.json:3: the labels in 'doc_label' are of a wrong type"},
      {"{\"text\": \"a\", \"text\": \"b\"}", "x.json:3: the field 'text' stands there twice"},
      {"{\"text\": \"a\", \"doc_label\": [], \"doc_label\": []}", "x.json:3: the field 'doc_label' stands there twice"},
  };
  for (const auto& [line, message] : cases) {
    EXPECT_THAT(input_error_of(good + line + "\n" + good), HasSubstr(message)) << line;
  }
  EXPECT_THAT(input_error_of(""), HasSubstr("x.json: no document"));
}

TEST_F(JsonLines, DeepNestingIsHarmless) {
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_THAT(all_rows(read("{\"x\": " + deep + ", \"text\": \"a\"}")), ElementsAre("a:1"));
}

TEST_F(JsonLines, OtherEncodingsAreReadAsLatin1AndCounted) {
  const ParsedData data = read("{\"text\": \"caf\xE9\", \"doc_label\": \"x\"}\n");
  EXPECT_THAT(data.feature_names, ElementsAre("caf\xC3\xA9"));
  EXPECT_THAT(data.notes, ElementsAre("1 document not in UTF-8, read as Latin-1"));
  EXPECT_THAT(all_rows(read("\xEF\xBB\xBF{\"text\": \"a\"}\n")), ElementsAre("a:1"));
}

TEST_F(JsonLines, ThreadsChangeNothingAndLinesAreRight) {
  std::string text;
  RandomStream random(3, {kTestStream, 12});
  for (Index d = 0; d < 20000; ++d) {
    nlohmann::json record = {{"doc_label", {"class" + std::to_string(random.below(30)), "top"}}};
    for (Index w = 1 + random.below(30); w > 0; --w) {
      record["doc_token"].push_back("Word" + std::to_string(random.below(4000)));
    }
    text += record.dump() + (random.below(10) == 0 ? "\n\n" : "\n");
  }
  ASSERT_GT(text.size(), 4U << 20U);
  Context one({.threads = 1});
  const ParsedData expected = read_json_lines(Input::from_bytes("x.json", text), ReadOptions(), one);
  EXPECT_EQ(row_count(expected.features), 20000);
  for (const int threads : {2, 3}) {
    Context many({.threads = threads});
    expect_same(read_json_lines(Input::from_bytes("x.json", text), ReadOptions(), many), expected);
  }
  const auto line = std::to_string(std::ranges::count(text, '\n') + 1);
  EXPECT_THAT(input_error_of(text + "{}\n{}"), HasSubstr("x.json:" + line + ": no text"));
}

}  // namespace
}  // namespace clade
