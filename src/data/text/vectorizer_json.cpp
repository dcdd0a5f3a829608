#include "data/text/vectorizer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "data/text/word_counts.h"

namespace clade {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<std::string_view, TermWeight>, 3> kWeights = {
    {{"tf", TermWeight::kTf}, {"tf-idf", TermWeight::kTfIdf}, {"binary", TermWeight::kBinary}}};
constexpr std::array<std::pair<std::string_view, StopWords>, 2> kStopWords = {
    {{"none", StopWords::kNone}, {"english", StopWords::kEnglish}}};

template <class T>
std::string_view name_of(const auto& names, T value) {
  return std::ranges::find(names, value, [](const auto& pair) { return pair.second; })->first;
}

// Takes the keys of an object one by one, so that any left over are unknown.
class ObjectReader {
 public:
  ObjectReader(const json& object, const Where& where) : object_(object), where_(where) {
    if (!object.is_object()) throw error("the vectorizer is not a JSON object");
  }

  Error error(std::string_view problem, std::string_view expected = {}) const {
    return input_error(where_, fmt::format("bad vectorizer: {}", problem), expected);
  }

  const json& get(std::string_view key) {
    const auto found = object_.find(key);
    if (found == object_.end()) throw error(fmt::format("\"{}\" is missing", key));
    ++taken_;
    return *found;
  }

  bool has(std::string_view key) const { return object_.contains(key); }

  bool get_bool(std::string_view key) {
    const json& value = get(key);
    if (!value.is_boolean()) throw error(fmt::format("\"{}\" is not true or false", key));
    return value.get<bool>();
  }

  Index get_count(std::string_view key) { return to_count(get(key), key); }

  std::string get_string(std::string_view key) {
    const json& value = get(key);
    if (!value.is_string()) throw error(fmt::format("\"{}\" is not a string", key));
    return value.get<std::string>();
  }

  const json::array_t& get_array(std::string_view key) {
    const json& value = get(key);
    if (!value.is_array()) throw error(fmt::format("\"{}\" is not a list", key));
    return value.get_ref<const json::array_t&>();
  }

  template <class T>
  T get_named(std::string_view key, const auto& names) {
    const std::string text = get_string(key);
    const auto found = std::ranges::find(names, text, [](const auto& pair) { return pair.first; });
    if (found == names.end())
      throw error(fmt::format("\"{}\" is '{}'", key, text), "expected a value this version knows");
    return found->second;
  }

  Index to_count(const json& value, std::string_view key) const {
    if (!value.is_number_integer()) throw error(fmt::format("\"{}\" is not a whole number", key));
    // A count is not negative and is exact as a double.
    constexpr std::uint64_t kLargest = 1ULL << 53U;
    const bool negative = !value.is_number_unsigned() && value.get<std::int64_t>() < 0;
    if (negative || value.get<std::uint64_t>() > kLargest) throw error(fmt::format("\"{}\" is out of range", key));
    return value.get<Index>();
  }

  void finish() const {
    if (object_.size() != taken_)
      throw error("it has an unknown key", "expected a file that this version of Clade can read");
  }

 private:
  const json& object_;
  const Where& where_;
  std::size_t taken_ = 0;
};

TextOptions read_options(ObjectReader& reader) {
  TextOptions options;
  // Files written before there were sequences do not mention them.
  if (reader.has("sequences")) options.sequences = reader.get_bool("sequences");
  options.weight = reader.get_named<TermWeight>("weight", kWeights);
  options.stop_words = reader.get_named<StopWords>("stop_words", kStopWords);
  options.stem = reader.get_string("stem");
  options.min_document_frequency = reader.get_count("min_document_frequency");
  options.min_word_length = reader.get_count("min_word_length");
  options.drop_numbers = reader.get_bool("drop_numbers");
  options.keep_case = reader.get_bool("keep_case");
  options.raw_length = reader.get_bool("raw_length");
  try {
    check_text_options(options);
  } catch (const Error& error) {
    throw reader.error(error.problem(), error.expected());
  }
  return options;
}

std::vector<std::string> read_words(ObjectReader& reader) {
  const json::array_t& list = reader.get_array("words");
  std::vector<std::string> words;
  words.reserve(list.size());
  for (const json& item : list) {
    if (!item.is_string()) throw reader.error("\"words\" holds something that is not a string");
    words.push_back(item.get<std::string>());
    if (words.size() > 1 && words[words.size() - 2] >= words.back()) {
      throw reader.error(fmt::format("word {} is out of order", words.size()),
                         "expected words in byte order, each once");
    }
  }
  return words;
}

std::vector<Index> read_frequencies(ObjectReader& reader, Index documents) {
  const json::array_t& list = reader.get_array("document_frequency");
  std::vector<Index> frequencies;
  frequencies.reserve(list.size());
  for (const json& item : list) {
    frequencies.push_back(reader.to_count(item, "document_frequency"));
    if (frequencies.back() < 1 || frequencies.back() > documents) {
      throw reader.error(fmt::format("document frequency {} of {} documents", frequencies.back(), documents));
    }
  }
  return frequencies;
}

}  // namespace

json vectorizer_to_json(const TextVectorizer& vectorizer) {
  const TextOptions& options = vectorizer.options;
  json object = {{"weight", name_of(kWeights, options.weight)},
                 {"stop_words", name_of(kStopWords, options.stop_words)},
                 {"stem", options.stem},
                 {"min_document_frequency", options.min_document_frequency},
                 {"min_word_length", options.min_word_length},
                 {"drop_numbers", options.drop_numbers},
                 {"keep_case", options.keep_case},
                 {"raw_length", options.raw_length},
                 {"documents", vectorizer.documents},
                 {"words", vectorizer.words},
                 {"document_frequency", vectorizer.document_frequency}};
  if (options.sequences) object["sequences"] = true;
  return object;
}

TextVectorizer vectorizer_from_json(const json& object, const Where& where) {
  ObjectReader reader(object, where);
  TextVectorizer vectorizer;
  vectorizer.options = read_options(reader);
  vectorizer.documents = reader.get_count("documents");
  vectorizer.words = read_words(reader);
  vectorizer.document_frequency = read_frequencies(reader, vectorizer.documents);
  if (vectorizer.words.size() != vectorizer.document_frequency.size()) {
    throw reader.error(fmt::format("{} words but {} document frequencies", vectorizer.words.size(),
                                   vectorizer.document_frequency.size()));
  }
  if (vectorizer.words.size() > static_cast<std::size_t>(kMaxFeatures)) throw reader.error("too many words");
  if (vectorizer.options.sequences && !vectorizer.words.empty()) throw reader.error("sequences with words");
  reader.finish();
  return vectorizer;
}

}  // namespace clade
