#include "data/text/vectorizer_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace clade {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

TextVectorizer small_vectorizer() {
  TextVectorizer vectorizer;
  vectorizer.options.weight = TermWeight::kBinary;
  vectorizer.options.stop_words = StopWords::kNone;
  vectorizer.options.stem = "german";
  vectorizer.options.min_document_frequency = 3;
  vectorizer.options.min_word_length = 4;
  vectorizer.options.drop_numbers = true;
  vectorizer.options.keep_case = true;
  vectorizer.options.raw_length = true;
  vectorizer.documents = 10;
  vectorizer.words = {"B", "a", "\xC3\xA9t\xC3\xA9"};
  vectorizer.document_frequency = {1, 10, 3};
  return vectorizer;
}

void expect_equal(const TextVectorizer& a, const TextVectorizer& b) {
  EXPECT_EQ(a.options.weight, b.options.weight);
  EXPECT_EQ(a.options.stop_words, b.options.stop_words);
  EXPECT_EQ(a.options.stem, b.options.stem);
  EXPECT_EQ(a.options.min_document_frequency, b.options.min_document_frequency);
  EXPECT_EQ(a.options.min_word_length, b.options.min_word_length);
  EXPECT_EQ(a.options.drop_numbers, b.options.drop_numbers);
  EXPECT_EQ(a.options.keep_case, b.options.keep_case);
  EXPECT_EQ(a.options.raw_length, b.options.raw_length);
  EXPECT_EQ(a.documents, b.documents);
  EXPECT_EQ(a.words, b.words);
  EXPECT_EQ(a.document_frequency, b.document_frequency);
}

TEST(VectorizerJson, ComesBackAsItWent) {
  const TextVectorizer vectorizer = small_vectorizer();
  const std::string text = vectorizer_to_json(vectorizer).dump();
  expect_equal(vectorizer, vectorizer_from_json(json::parse(text), {.file = "x"}));
  const TextVectorizer defaults;
  expect_equal(defaults, vectorizer_from_json(vectorizer_to_json(defaults), {.file = "x"}));
}

// What is not of sequences says nothing of them, as before there were any.
TEST(VectorizerJson, Sequences) {
  EXPECT_FALSE(vectorizer_to_json(small_vectorizer()).contains("sequences"));
  TextVectorizer vectorizer;
  vectorizer.options.sequences = true;
  vectorizer.documents = 4;
  const auto loaded = vectorizer_from_json(json::parse(vectorizer_to_json(vectorizer).dump()), {});
  EXPECT_TRUE(loaded.options.sequences);
  EXPECT_EQ(loaded.documents, 4);
  const auto row = loaded.transform("A \xC3\xA9\nb");
  EXPECT_EQ(row.columns, (std::vector<FeatureIndex>{0, 1, 2}));
  EXPECT_EQ(row.values, (std::vector<double>{'A', 0xE9, 'b'}));
  json with_words = vectorizer_to_json(small_vectorizer());
  with_words["sequences"] = true;
  EXPECT_THROW(vectorizer_from_json(with_words, {}), Error);
  with_words["sequences"] = 1;
  EXPECT_THROW(vectorizer_from_json(with_words, {}), Error);
}

TEST(VectorizerJson, GivesTheSameRowsAfterwards) {
  Context ctx({.threads = 1});
  const std::vector<std::string_view> texts = {"running dogs run", "cats and dogs", "a cat\xE2\x80\x99s pyjamas"};
  TextOptions options;
  options.stem = "english";
  const VectorizedText learnt = learn_vectorizer(texts, options, ctx);
  const auto loaded = vectorizer_from_json(json::parse(vectorizer_to_json(*learnt.vectorizer).dump()), {});
  for (const std::string_view text : texts) {
    EXPECT_EQ(loaded.transform(text).columns, learnt.vectorizer->transform(text).columns);
    EXPECT_EQ(loaded.transform(text).values, learnt.vectorizer->transform(text).values);
  }
}

struct BadCase {
  const char* key;
  json value;  // discarded: the key is left out
  const char* message;
};

TEST(VectorizerJson, RefusesWhatItCannotTrust) {
  const std::vector<BadCase> cases = {
      {"weight", "heavy", "\"weight\" is 'heavy'"},
      {"weight", 1, "\"weight\" is not a string"},
      {"stop_words", "latin", "\"stop_words\""},
      {"stem", "klingon", "no stemmer for the language 'klingon'"},
      {"stem", nullptr, "\"stem\" is not a string"},
      {"min_document_frequency", -1, "\"min_document_frequency\" is out of range"},
      {"min_document_frequency", 1.5, "not a whole number"},
      {"min_word_length", 18446744073709551615ULL, "\"min_word_length\" is out of range"},
      {"keep_case", 1, "\"keep_case\" is not true or false"},
      {"raw_length", "no", "\"raw_length\""},
      {"drop_numbers", json::value_t::discarded, "\"drop_numbers\" is missing"},
      {"documents", json::value_t::discarded, "\"documents\" is missing"},
      {"documents", 9, "document frequency 10 of 9 documents"},
      {"documents", "ten", "\"documents\" is not a whole number"},
      {"words", "B", "\"words\" is not a list"},
      {"words", {"B", "a", 3}, "not a string"},
      {"words", {"B", "b", "a"}, "word 3 is out of order"},
      {"words", {"B", "a", "a"}, "word 3 is out of order"},
      {"words", {"B", "a"}, "2 words but 3 document frequencies"},
      {"document_frequency", {1, 0, 3}, "document frequency 0"},
      {"document_frequency", {1, -5, 3}, "out of range"},
      {"document_frequency", {1, json::array(), 3}, "not a whole number"},
      {"surprise", 1, "unknown key"},
  };
  for (const BadCase& bad : cases) {
    json object = vectorizer_to_json(small_vectorizer());
    if (bad.value.is_discarded()) {
      object.erase(bad.key);
    } else {
      object[bad.key] = bad.value;
    }
    try {
      vectorizer_from_json(object, {.file = "some.meta.json"});
      ADD_FAILURE() << bad.key << ' ' << bad.message;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::kInput);
      EXPECT_THAT(error.what(), HasSubstr("some.meta.json: bad vectorizer"));
      EXPECT_THAT(error.what(), HasSubstr(bad.message)) << bad.key;
    }
  }
  for (const json& other : {json(), json(3), json::array({1}), json("x")}) {
    EXPECT_THROW(vectorizer_from_json(other, {.file = "x"}), Error);
  }
}

}  // namespace
}  // namespace clade
