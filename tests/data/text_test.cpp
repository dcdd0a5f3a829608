#include <clade/text.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libstemmer.h>
#include <utf8proc.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "core/random.h"
#include "data/text/stemmer.h"
#include "data/text/stop_words.h"
#include "data/text/tokenizer.h"
#include "data/text/vectorizer.h"
#include "data/text/word_table.h"

namespace clade {
namespace {

bool is_utf8(const std::string& text) {
  utf8proc_int32_t point = 0;
  for (utf8proc_ssize_t at = 0; at < std::ssize(text);) {
    const auto size =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at, std::ssize(text) - at, &point);
    if (size <= 0) return false;
    at += size;
  }
  return true;
}

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> words_of(std::string_view text, bool keep_case = false) {
  std::vector<std::string> words;
  Tokenizer tokenizer(keep_case);
  tokenizer.for_each_word(text, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

std::string random_text(RandomStream& random, std::string_view alphabet, Index length) {
  std::string text;
  for (Index k = 0; k < length; ++k) text += alphabet[static_cast<std::size_t>(random.below(std::ssize(alphabet)))];
  return text;
}

// --- words

TEST(Tokenizer, CutsAtEverythingButLettersAndDigits) {
  EXPECT_THAT(words_of("Hello, World! x2\t42_7 e-mail\n"), ElementsAre("hello", "world", "x2", "42", "7", "e", "mail"));
  EXPECT_THAT(words_of(""), IsEmpty());
  EXPECT_THAT(words_of(" .;\n"), IsEmpty());
  EXPECT_THAT(words_of(std::string_view("a\0b", 3)), ElementsAre("a", "b"));
}

TEST(Tokenizer, KeepsCaseOnRequest) {
  EXPECT_THAT(words_of("The NATO \xC3\x89t\xC3\xA9", true), ElementsAre("The", "NATO", "\xC3\x89t\xC3\xA9"));
}

TEST(Tokenizer, AgreesWithACharacterwiseCutOfAscii) {
  RandomStream random(1, {kTestStream, 1});
  for (int repeat = 0; repeat < 200; ++repeat) {
    const std::string text = random_text(random, "abzAZ059 .,-_\n\t@", random.below(200));
    std::vector<std::string> expected(1);
    for (const char c : text) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
        expected.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      } else if (!expected.back().empty()) {
        expected.emplace_back();
      }
    }
    if (expected.back().empty()) expected.pop_back();
    EXPECT_EQ(words_of(text), expected) << text;
  }
}

TEST(Tokenizer, ApostrophesLoseEnglishEndingsAndElseJoin) {
  EXPECT_THAT(words_of("the dog's we'll THEY'RE I've he'd I'm"),
              ElementsAre("the", "dog", "we", "they", "i", "he", "i"));
  EXPECT_THAT(words_of("don't O'Brien rock'n'roll l'amour"), ElementsAre("dont", "obrien", "rocknroll", "lamour"));
  EXPECT_THAT(words_of("dogs' 'quoted' ''a'' 1990's 5'10 x'"),
              ElementsAre("dogs", "quoted", "a", "1990", "5", "10", "x"));
  EXPECT_THAT(words_of("dog\xE2\x80\x99s don\xE2\x80\x99t"), ElementsAre("dog", "dont"));
  EXPECT_THAT(words_of("he'll've \xC3\x89ric\xE2\x80\x99s d\xE2\x80\x99\xC3\x89ric"),
              ElementsAre("he", "\xC3\xA9ric", "d\xC3\xA9ric"));
  EXPECT_THAT(words_of("JOHN'S O'Neil's", true), ElementsAre("JOHN", "ONeil"));
}

TEST(Tokenizer, FoldsCaseAndComposesAsUnicodeSays) {
  EXPECT_THAT(words_of("Stra\xC3\x9F"
                       "e \xD0\x9C\xD0\x9E\xD0\xA1\xD0\x9A\xD0\x92\xD0\x90"),
              ElementsAre("strasse", "\xD0\xBC\xD0\xBE\xD1\x81\xD0\xBA\xD0\xB2\xD0\xB0"));
  // e and a combining acute accent are the composed letter, in either case.
  EXPECT_EQ(words_of("cafe\xCC\x81"), words_of("CAF\xC3\x89"));
  EXPECT_EQ(words_of("cafe\xCC\x81", true), words_of("caf\xC3\xA9", true));
  // A mark with nothing before it belongs to no word; Arabic and Devanagari digits are digits; a dash is none of these.
  EXPECT_THAT(words_of("\xCC\x81"
                       "abc\xE2\x80\x94\xD9\xA3"),
              ElementsAre("abc", "\xD9\xA3"));
  // Devanagari needs its vowel signs inside words.
  EXPECT_EQ(words_of("\xE0\xA4\xB9\xE0\xA4\xBF\xE0\xA4\x82\xE0\xA4\xA6\xE0\xA5\x80").size(), 1U);
}

TEST(Tokenizer, BytesThatAreNotUtf8Separate) {
  EXPECT_THAT(words_of("ab\xFF"
                       "cd"),
              ElementsAre("ab", "cd"));
  EXPECT_THAT(words_of("ab\xC3"), ElementsAre("ab"));
  EXPECT_THAT(words_of("ab\xC0\xA7s"), ElementsAre("ab", "s"));          // overlong apostrophe
  EXPECT_THAT(words_of("ab\xED\xA0\x80z"), ElementsAre("ab", "z"));      // surrogate
  EXPECT_THAT(words_of("ab\xE2\x80"), ElementsAre("ab"));                // cut apostrophe
  EXPECT_THAT(words_of("ab\xF4\x90\x80\x80z"), ElementsAre("ab", "z"));  // beyond Unicode
}

TEST(Tokenizer, WordsOfArbitraryBytesAreUtf8AndStayWhatTheyAre) {
  RandomStream random(1, {kTestStream, 2});
  for (int repeat = 0; repeat < 2000; ++repeat) {
    std::string text;
    for (Index k = random.below(60); k > 0; --k) {
      const auto point = static_cast<unsigned>(random.below(0x800));
      if (random.below(8) == 0) {
        text += static_cast<char>(random.below(256));
      } else {
        text += static_cast<char>(0xC0U | (point >> 6U));
        text += static_cast<char>(0x80U | (point & 0x3FU));
      }
    }
    for (const std::string& word : words_of(text)) {
      EXPECT_FALSE(word.empty());
      EXPECT_TRUE(is_utf8(word));
      EXPECT_EQ(std::string(Tokenizer(false).form(word)), word);
    }
  }
}

TEST(Tokenizer, LongWordsTakeLinearTime) {
  std::string text = "a";
  for (int k = 0; k < 500000; ++k) text += "'s";
  EXPECT_THAT(words_of(text), ElementsAre("a"));
  EXPECT_EQ(words_of(std::string(3000000, 'x')).at(0).size(), 3000000U);
  std::string accents = "a";
  for (int k = 0; k < 100000; ++k) accents += "\xC3\x89";
  EXPECT_EQ(words_of(accents).at(0).size(), 200001U);
}

TEST(Tokenizer, FormOfAGivenWordRefusesOtherEncodings) {
  Tokenizer tokenizer(false);
  EXPECT_EQ(tokenizer.form("US$/Barrel"), "us$/barrel");
  EXPECT_THROW(tokenizer.form("caf\xE9"), Error);
}

TEST(Tokenizer, TellsNumbers) {
  EXPECT_TRUE(is_number("1993"));
  EXPECT_TRUE(is_number("\xD9\xA3"));
  EXPECT_FALSE(is_number("x2"));
  EXPECT_FALSE(is_number(""));
}

TEST(StopWords, AreFunctionWords) {
  for (const char* word : {"the", "a", "and", "of", "dont", "cannot", "themselves", "yet"}) {
    EXPECT_TRUE(is_english_stop_word(word)) << word;
  }
  for (const char* word : {"", "shell", "computer", "zebra", "The", "car", "god"}) {
    EXPECT_FALSE(is_english_stop_word(word)) << word;
  }
}

TEST(Stemmer, GivesWhatLibstemmerGives) {
  for (const char* language : {"english", "german", "french", "russian"}) {
    Stemmer stemmer(language);
    const std::unique_ptr<sb_stemmer, decltype(&sb_stemmer_delete)> oracle(sb_stemmer_new(language, nullptr),
                                                                           sb_stemmer_delete);
    for (const std::string word : {"running", "flies", "h\xC3\xA4user", "nationalit\xC3\xA9", "a", "yes",
                                   "\xD0\xBA\xD0\xBD\xD0\xB8\xD0\xB3\xD0\xB8"}) {
      const auto* stem =
          sb_stemmer_stem(oracle.get(), reinterpret_cast<const sb_symbol*>(word.data()), static_cast<int>(word.size()));
      EXPECT_EQ(stemmer.stem(word), reinterpret_cast<const char*>(stem)) << language << ' ' << word;
    }
  }
  EXPECT_EQ(Stemmer("english").stem("running"), "run");
  EXPECT_EQ(Stemmer("en").stem("running"), "run");
}

TEST(Stemmer, LeavesWordsOfNoLanguageAlone) {
  const std::string word(Stemmer::kLongestWord + 1, 's');
  EXPECT_EQ(Stemmer("english").stem(word), word);
}

TEST(Stemmer, UnknownLanguageListsTheKnown) {
  for (const std::string& language : {std::string("klingon"), std::string("english\0", 8), std::string("English")}) {
    try {
      const Stemmer stemmer(language);
      FAIL() << language;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::kInput);
      EXPECT_THAT(error.what(), HasSubstr("no stemmer for the language"));
      EXPECT_THAT(error.expected(), HasSubstr("english"));
      EXPECT_THAT(error.expected(), HasSubstr("german"));
    }
  }
  EXPECT_THAT(stemming_languages(), ::testing::Contains("french"));
}

TEST(WordTable, NumbersAsAMapDoes) {
  RandomStream random(1, {kTestStream, 3});
  WordTable table;
  std::unordered_map<std::string, std::int32_t> expected;
  EXPECT_EQ(table.find("a"), WordTable::kNone);
  for (int k = 0; k < 50000; ++k) {
    const std::string word = random_text(random, std::string_view("ab\0\xFFz", 5), random.below(20));
    const auto [place, added] = expected.try_emplace(word, static_cast<std::int32_t>(expected.size()));
    ASSERT_EQ(table.find(word) == WordTable::kNone, added);
    ASSERT_EQ(table.intern(word), place->second);
  }
  ASSERT_EQ(table.size(), static_cast<std::int32_t>(expected.size()));
  for (const auto& [word, number] : expected) {
    EXPECT_EQ(table.find(word), number);
    EXPECT_EQ(table.word(number), word);
  }
}

TEST(WordTable, KeepsWordsLargerThanItsBlocks) {
  WordTable table;
  const std::string large(1000000, 'x');
  table.intern("a");
  table.intern(large);
  table.intern("b");
  EXPECT_EQ(table.word(0), "a");
  EXPECT_EQ(table.word(1), large);
  EXPECT_EQ(table.word(2), "b");
}

// --- rows

TextOptions plain_options() {
  TextOptions options;
  options.weight = TermWeight::kTf;
  options.stop_words = StopWords::kNone;
  options.min_word_length = 1;
  options.raw_length = true;
  return options;
}

std::vector<std::string_view> views(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

VectorizedText learn(const std::vector<std::string>& texts, const TextOptions& options, int threads = 1) {
  Context ctx({.threads = threads});
  return learn_vectorizer(views(texts), options, ctx);
}

TextVectorizer::Row row_of(const SparseMatrix<double>& matrix, Index row) {
  const auto columns = matrix.row_indices(row);
  const auto values = matrix.row_values(row);
  return {{columns.begin(), columns.end()}, {values.begin(), values.end()}};
}

const std::vector<std::string> kFruit = {"apple banana apple", "banana cherry", "", "Banana! durian"};

TEST(Vectorizer, CountsAsOneDoesByHand) {
  const VectorizedText result = learn(kFruit, plain_options());
  EXPECT_THAT(result.vectorizer->words, ElementsAre("apple", "banana", "cherry", "durian"));
  EXPECT_THAT(result.vectorizer->document_frequency, ElementsAre(1, 3, 1, 1));
  EXPECT_EQ(result.vectorizer->documents, 4);
  ASSERT_EQ(result.rows.rows, 4);
  EXPECT_EQ(result.rows.columns, 4);
  EXPECT_THAT(result.rows.offsets.span(), ElementsAre(0, 2, 4, 4, 6));
  EXPECT_THAT(result.rows.indices.span(), ElementsAre(0, 1, 1, 2, 1, 3));
  EXPECT_THAT(result.rows.values.span(), ElementsAre(2, 1, 1, 1, 1, 1));
  EXPECT_EQ(result.vectorizer->find("banana"), 1);
  EXPECT_EQ(result.vectorizer->find("bananas"), std::nullopt);
  EXPECT_EQ(result.vectorizer->find("zebra"), std::nullopt);
}

TEST(Vectorizer, WeighsAsTheFormulasSay) {
  TextOptions options = plain_options();
  options.weight = TermWeight::kBinary;
  EXPECT_THAT(learn(kFruit, options).rows.values.span(), ElementsAre(1, 1, 1, 1, 1, 1));

  options.weight = TermWeight::kTfIdf;
  const double rare = std::log(4.0 / 1.0);
  const double common = std::log(4.0 / 3.0);
  EXPECT_THAT(learn(kFruit, options).rows.values.span(), ElementsAre(2 * rare, common, common, rare, common, rare));

  options.raw_length = false;
  const double first = std::hypot(2 * rare, common);
  const double other = std::hypot(rare, common);
  using ::testing::DoubleEq;
  EXPECT_THAT(learn(kFruit, options).rows.values.span(),
              ElementsAre(DoubleEq(2 * rare / first), DoubleEq(common / first), DoubleEq(common / other),
                          DoubleEq(rare / other), DoubleEq(common / other), DoubleEq(rare / other)));
}

TEST(Vectorizer, AWordOfEveryDocumentHasNoTfIdf) {
  TextOptions options = plain_options();
  options.weight = TermWeight::kTfIdf;
  options.raw_length = false;
  const VectorizedText result = learn({"same", "same other"}, options);
  EXPECT_THAT(result.vectorizer->words, ElementsAre("other", "same"));
  EXPECT_THAT(result.rows.offsets.span(), ElementsAre(0, 0, 1));
  EXPECT_THAT(result.rows.values.span(), ElementsAre(1));
}

TEST(Vectorizer, WordsStandInByteOrder) {
  TextOptions options = plain_options();
  options.keep_case = true;
  const VectorizedText result = learn({"b \xC3\xA9 Z a B aardvarks aardvark 10 9"}, options);
  EXPECT_THAT(result.vectorizer->words,
              ElementsAre("10", "9", "B", "Z", "a", "aardvark", "aardvarks", "b", "\xC3\xA9"));
}

TEST(Vectorizer, DropsWhatTheOptionsName) {
  TextOptions options = plain_options();
  options.min_word_length = 3;
  options.stop_words = StopWords::kEnglish;
  options.drop_numbers = true;
  EXPECT_THAT(learn({"The cat isn't on 1993 x86 ab \xC3\xA9t\xC3\xA9"}, options).vectorizer->words,
              ElementsAre("cat", "x86", "\xC3\xA9t\xC3\xA9"));
  options.keep_case = true;  // stop words are those of the folded word
  EXPECT_THAT(learn({"The CAT tHe"}, options).vectorizer->words, ElementsAre("CAT"));

  options = plain_options();
  options.min_document_frequency = 2;
  EXPECT_THAT(learn({"a b", "b c", "c d"}, options).vectorizer->words, ElementsAre("b", "c"));
  options.min_document_frequency = 4;
  EXPECT_THAT(learn({"a b", "b c", "c d"}, options).vectorizer->words, IsEmpty());
}

TEST(Vectorizer, StemsAndCountsTheStems) {
  TextOptions options = plain_options();
  options.stem = "english";
  const VectorizedText result = learn({"run runs running Connection connections", "connected"}, options);
  EXPECT_THAT(result.vectorizer->words, ElementsAre("connect", "run"));
  EXPECT_THAT(result.vectorizer->document_frequency, ElementsAre(2, 1));
  EXPECT_THAT(result.rows.values.span(), ElementsAre(2, 3, 1));
}

TEST(Vectorizer, RefusesOptionsThatMakeNoSense) {
  TextOptions options;
  options.stem = "klingon";
  EXPECT_THROW(learn({"a"}, options), Error);
  EXPECT_THROW(learn({}, options), Error);
  options = TextOptions();
  options.min_document_frequency = -1;
  EXPECT_THROW(learn({"a"}, options), Error);
  options = TextOptions();
  options.min_word_length = -1;
  EXPECT_THROW(learn({"a"}, options), Error);
}

TEST(Vectorizer, NoDocumentsGiveNoRows) {
  const VectorizedText result = learn({}, TextOptions());
  EXPECT_EQ(result.rows.rows, 0);
  EXPECT_EQ(result.vectorizer->documents, 0);
}

// A collection of several chunks: words by a power law, some documents empty, one of 200 kB.
std::vector<std::string> random_collection(std::uint64_t number, Index documents, Index mean_words) {
  RandomStream random(7, {kTestStream, 4, number});
  std::vector<std::string> texts;
  for (Index d = 0; d < documents; ++d) {
    std::string text;
    const Index words = d == 3 ? 40000 : random.below(2 * mean_words);
    for (Index w = 0; w < words; ++w) {
      const auto rank = static_cast<Index>(std::pow(3000.0, random.uniform()));
      text += (random.below(3) == 0 ? "Word" : "word") + std::to_string(rank) + (random.below(9) == 0 ? "s. " : " ");
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

// The definition, word by word, without chunks, tables or tricks.
std::vector<std::map<std::string, double>> rows_by_definition(const std::vector<std::string>& texts,
                                                              const TextOptions& options) {
  std::vector<std::map<std::string, double>> counts;
  std::map<std::string, Index> frequency;
  for (const std::string& text : texts) {
    auto& row = counts.emplace_back();
    for (const std::string& word : words_of(text)) {
      if (std::ssize(word) >= options.min_word_length) ++row[word];
    }
    for (const auto& entry : row) ++frequency[entry.first];
  }
  for (auto& row : counts) {
    std::erase_if(row, [&](const auto& entry) { return frequency[entry.first] < options.min_document_frequency; });
    double squares = 0;
    for (auto& [word, value] : row) {
      if (options.weight == TermWeight::kBinary) value = 1;
      const auto ratio = static_cast<double>(texts.size()) / static_cast<double>(frequency[word]);
      if (options.weight == TermWeight::kTfIdf) value *= std::log(ratio);
      squares += value * value;
    }
    std::erase_if(row, [](const auto& entry) { return entry.second == 0; });
    for (auto& [word, value] : row) value /= options.raw_length ? 1 : std::sqrt(squares);
  }
  return counts;
}

TEST(Vectorizer, MatchesTheDefinitionOnRandomCollections) {
  for (const TermWeight weight : {TermWeight::kTf, TermWeight::kTfIdf, TermWeight::kBinary}) {
    for (const bool raw : {false, true}) {
      TextOptions options = plain_options();
      options.weight = weight;
      options.raw_length = raw;
      options.min_document_frequency = 2;
      options.min_word_length = 6;
      const auto texts = random_collection(raw ? 1 : 2, 60, 300);
      const VectorizedText result = learn(texts, options);
      const auto expected = rows_by_definition(texts, options);
      for (std::size_t d = 0; d < texts.size(); ++d) {
        const auto row = row_of(result.rows, static_cast<Index>(d));
        ASSERT_EQ(row.columns.size(), expected[d].size());
        EXPECT_EQ(std::ranges::adjacent_find(row.columns, std::greater_equal<>()), row.columns.end());
        for (std::size_t k = 0; k < row.columns.size(); ++k) {
          const auto found = expected[d].find(result.vectorizer->words[static_cast<std::size_t>(row.columns[k])]);
          ASSERT_NE(found, expected[d].end());
          EXPECT_NEAR(row.values[k], found->second, 1e-14 * std::abs(found->second));
        }
      }
    }
  }
}

void expect_same(const SparseMatrix<double>& a, const SparseMatrix<double>& b) {
  ASSERT_EQ(a.rows, b.rows);
  ASSERT_EQ(a.columns, b.columns);
  EXPECT_TRUE(std::ranges::equal(a.offsets.span(), b.offsets.span()));
  EXPECT_TRUE(std::ranges::equal(a.indices.span(), b.indices.span()));
  EXPECT_TRUE(std::ranges::equal(a.values.span(), b.values.span()));  // to the bit
}

TEST(Vectorizer, ThreadsChangeNothing) {
  const auto texts = random_collection(3, 3000, 200);  // several megabytes: several chunks
  TextOptions options;
  options.stem = "english";
  const VectorizedText one = learn(texts, options, 1);
  for (const int threads : {2, 3}) {
    const VectorizedText many = learn(texts, options, threads);
    EXPECT_EQ(one.vectorizer->words, many.vectorizer->words);
    EXPECT_EQ(one.vectorizer->document_frequency, many.vectorizer->document_frequency);
    expect_same(one.rows, many.rows);
  }
}

WordCounts count(const std::vector<std::string>& texts, std::size_t begin, std::size_t end,
                 const TextOptions& options) {
  WordCounter counter(options);
  for (std::size_t d = begin; d < end; ++d) {
    counter.add_text(texts[d]);
    counter.end_document();
  }
  return std::move(counter).take();
}

TEST(Vectorizer, ChunksChangeNothingAndRowsFollowTheGivenOrder) {
  const auto texts = random_collection(4, 50, 60);
  const TextOptions options;
  Context ctx({.threads = 2});
  std::vector<WordCounts> whole;
  whole.push_back(count(texts, 0, 50, options));
  std::vector<WordCounts> cut;
  for (std::size_t d = 0; d < 50; d += 7) cut.push_back(count(texts, d, std::min<std::size_t>(50, d + 7), options));
  const TextVectorizer vectorizer = learn_vocabulary(whole, options);
  EXPECT_EQ(vectorizer.words, learn_vocabulary(cut, options).words);
  EXPECT_EQ(vectorizer.document_frequency, learn_vocabulary(cut, options).document_frequency);

  std::vector<Index> backwards(50);
  for (std::size_t d = 0; d < 50; ++d) backwards[d] = static_cast<Index>(49 - d);
  const auto a = make_rows<double>(vectorizer, whole, {}, ctx);
  const auto b = make_rows<double>(vectorizer, cut, backwards, ctx);
  for (Index d = 0; d < 50; ++d) {
    EXPECT_EQ(row_of(a, d).columns, row_of(b, 49 - d).columns);
    EXPECT_EQ(row_of(a, d).values, row_of(b, 49 - d).values);
  }
}

TEST(Vectorizer, TransformGivesExactlyTheRowOfLearning) {
  const auto texts = random_collection(5, 200, 50);
  for (const TermWeight weight : {TermWeight::kTf, TermWeight::kTfIdf, TermWeight::kBinary}) {
    for (const char* stem : {"", "english"}) {
      for (const bool keep_case : {false, true}) {
        TextOptions options;
        options.weight = weight;
        options.stem = stem;
        options.keep_case = keep_case;
        options.min_document_frequency = 3;
        const VectorizedText result = learn(texts, options, 2);
        for (std::size_t d = 0; d < texts.size(); ++d) {
          const auto learnt = row_of(result.rows, static_cast<Index>(d));
          const auto row = result.vectorizer->transform(texts[d]);
          ASSERT_EQ(row.columns, learnt.columns);
          ASSERT_EQ(row.values, learnt.values);  // to the bit
        }
        Context ctx({.threads = 3});
        expect_same(vectorize(*result.vectorizer, views(texts), ctx), result.rows);
      }
    }
  }
}

TEST(Vectorizer, TransformIgnoresWhatItDidNotLearn) {
  const VectorizedText result = learn(kFruit, plain_options());
  const auto row = result.vectorizer->transform("zebra cherry APPLE unknown cherry");
  EXPECT_THAT(row.columns, ElementsAre(0, 2));
  EXPECT_THAT(row.values, ElementsAre(1, 2));
  EXPECT_THAT(result.vectorizer->transform("nothing known").columns, IsEmpty());
  EXPECT_THAT(result.vectorizer->transform("").columns, IsEmpty());
}

TEST(Vectorizer, TokensAreFoldedAndStemmedButNotCut) {
  TextOptions options = plain_options();
  options.stem = "english";
  options.stop_words = StopWords::kEnglish;
  options.min_word_length = 2;
  const VectorizedText result = learn({"running shoes a/b cd"}, options);
  const std::vector<std::string> tokens = {"Running", "The", "shoe", "running shoes", "", "a", "CD"};
  const auto row = result.vectorizer->transform_tokens(tokens);
  EXPECT_THAT(result.vectorizer->words, ElementsAre("cd", "run", "shoe"));
  EXPECT_THAT(row.columns, ElementsAre(0, 1, 2));
  EXPECT_THAT(row.values, ElementsAre(1, 1, 1));
}

TEST(Vectorizer, FloatRowsAreTheDoubleRowsRounded) {
  const auto texts = random_collection(6, 40, 50);
  const TextOptions options;
  Context ctx({.threads = 1});
  std::vector<WordCounts> counts;
  counts.push_back(count(texts, 0, texts.size(), options));
  const TextVectorizer vectorizer = learn_vocabulary(counts, options);
  const auto single = make_rows<float>(vectorizer, counts, {}, ctx);
  const auto full = learn(texts, options).rows;
  ASSERT_EQ(single.nonzeros(), full.nonzeros());
  for (Index k = 0; k < full.nonzeros(); ++k) ASSERT_EQ(single.values[k], static_cast<float>(full.values[k]));
}

TEST(Vectorizer, CancelsBetweenChunks) {
  auto cancel = std::make_shared<CancelToken>();
  cancel->cancel();
  Context ctx({.threads = 2, .cancel = cancel});
  EXPECT_THROW(learn_vectorizer(views(kFruit), TextOptions(), ctx), Error);
}

}  // namespace
}  // namespace clade
