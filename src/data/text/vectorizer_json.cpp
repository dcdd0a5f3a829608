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
constexpr std::array<std::pair<std::string_view, TextFields>, 2> kFields = {
    {{"joined", TextFields::kJoined}, {"separate", TextFields::kSeparate}}};
constexpr std::array<std::pair<std::string_view, MissingNumbers>, 3> kMissingNumbers = {
    {{"mean", MissingNumbers::kMean}, {"zero", MissingNumbers::kZero}, {"keep", MissingNumbers::kKeep}}};
constexpr std::array<std::pair<std::string_view, ColumnKind>, 4> kKinds = {{{"text", ColumnKind::kText},
                                                                            {"number", ColumnKind::kNumber},
                                                                            {"date", ColumnKind::kDate},
                                                                            {"category", ColumnKind::kCategory}}};
constexpr std::array<std::pair<std::string_view, StopWords>, 2> kStopWords = {
    {{"none", StopWords::kNone}, {"english", StopWords::kEnglish}}};

// What files mean that do not mention an option, because it came later than they did. These never change, though
// defaults may.
TextOptions unmentioned() {
  TextOptions options;
  options.word_runs = 1;
  options.sublinear = false;
  options.max_document_share = 1;
  options.fields = TextFields::kJoined;
  options.characters = "";
  options.hash_bits = 0;
  options.number_weight = 0.3;
  options.missing_numbers = MissingNumbers::kMean;
  return options;
}

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

  double get_number(std::string_view key) {
    const json& value = get(key);
    if (!value.is_number()) throw error(fmt::format("\"{}\" is not a number", key));
    return value.get<double>();
  }

  std::vector<std::string> get_strings(std::string_view key) {
    std::vector<std::string> strings;
    for (const json& item : get_array(key)) {
      if (!item.is_string()) throw error(fmt::format("\"{}\" holds something that is not a string", key));
      strings.push_back(item.get<std::string>());
    }
    return strings;
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

std::vector<DataColumn> read_columns(ObjectReader& reader) {
  std::vector<DataColumn> columns;
  for (const json& item : reader.get_array("columns")) {
    const bool has_form = item.is_array() && item.size() == 2 && item[0].is_string() && item[1].is_string();
    if (!has_form) throw reader.error("\"columns\" holds something other than [name, kind]");
    const auto& word = item[1].get_ref<const std::string&>();
    const auto kind = std::ranges::find(kKinds, word, [](const auto& pair) { return pair.first; });
    if (kind == kKinds.end()) {
      throw reader.error(fmt::format("a column of kind '{}'", word), "expected a kind this version knows");
    }
    columns.push_back({item[0].get<std::string>(), kind->second});
  }
  return columns;
}

TextOptions read_options(ObjectReader& reader) {
  TextOptions options = unmentioned();
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
  // Options that came later are written only where they differ from unmentioned().
  if (reader.has("word_runs")) options.word_runs = reader.get_count("word_runs");
  if (reader.has("sublinear")) options.sublinear = reader.get_bool("sublinear");
  if (reader.has("max_document_share")) options.max_document_share = reader.get_number("max_document_share");
  if (reader.has("fields")) options.fields = reader.get_named<TextFields>("fields", kFields);
  if (reader.has("characters")) options.characters = reader.get_string("characters");
  if (reader.has("hash_bits")) options.hash_bits = reader.get_count("hash_bits");
  if (reader.has("number_weight")) options.number_weight = reader.get_number("number_weight");
  if (reader.has("missing_numbers")) {
    options.missing_numbers = reader.get_named<MissingNumbers>("missing_numbers", kMissingNumbers);
  }
  if (reader.has("label_separator")) options.label_separator = reader.get_string("label_separator");
  if (reader.has("label_columns")) options.label_columns = reader.get_strings("label_columns");
  if (reader.has("columns")) options.columns = read_columns(reader);
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

std::vector<TextVectorizer::Number> read_numbers(ObjectReader& reader) {
  std::vector<TextVectorizer::Number> numbers;
  for (const json& item : reader.get_array("numbers")) {
    const bool has_form = item.is_array() && item.size() == 2 && item[0].is_number() && item[1].is_number();
    const TextVectorizer::Number number =
        has_form ? TextVectorizer::Number{item[0].get<double>(), item[1].get<double>()} : TextVectorizer::Number{0, 0};
    if (!(number.deviation > 0)) throw reader.error("\"numbers\" holds something other than [mean, deviation above 0]");
    numbers.push_back(number);
  }
  return numbers;
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
  const TextOptions old = unmentioned();
  if (options.sequences) object["sequences"] = true;
  if (options.word_runs != old.word_runs) object["word_runs"] = options.word_runs;
  if (options.sublinear != old.sublinear) object["sublinear"] = options.sublinear;
  if (options.max_document_share != old.max_document_share) {
    object["max_document_share"] = options.max_document_share;
  }
  if (options.fields != old.fields) object["fields"] = name_of(kFields, options.fields);
  if (options.characters != old.characters) object["characters"] = options.characters;
  if (options.hash_bits != old.hash_bits) object["hash_bits"] = options.hash_bits;
  if (options.number_weight != old.number_weight) object["number_weight"] = options.number_weight;
  if (options.missing_numbers != old.missing_numbers) {
    object["missing_numbers"] = name_of(kMissingNumbers, options.missing_numbers);
  }
  if (!options.label_separator.empty()) object["label_separator"] = options.label_separator;
  if (!options.label_columns.empty()) object["label_columns"] = options.label_columns;
  for (const DataColumn& column : options.columns) {
    object["columns"].push_back({column.name, name_of(kKinds, column.kind)});
  }
  for (const TextVectorizer::Number& number : vectorizer.numbers) {
    object["numbers"].push_back({number.mean, number.deviation});
  }
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
  if (reader.has("numbers")) vectorizer.numbers = read_numbers(reader);
  if (vectorizer.feature_names().size() != static_cast<std::size_t>(vectorizer.features())) {
    throw reader.error("the numbers do not fit the columns");
  }
  if (vectorizer.words.size() > static_cast<std::size_t>(kMaxFeatures)) throw reader.error("too many words");
  if (vectorizer.options.sequences && !vectorizer.words.empty()) throw reader.error("sequences with words");
  reader.finish();
  return vectorizer;
}

}  // namespace clade
