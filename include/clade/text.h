#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/types.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clade {

enum class TermWeight { kTf, kTfIdf, kBinary };
enum class StopWords { kNone, kEnglish };
enum class TextFields { kJoined, kSeparate };
enum class MissingNumbers { kMean, kZero, kKeep };

// How a column of a table becomes features.
enum class ColumnKind {
  kText,      // its words
  kNumber,    // its value, with mean 0 and deviation 1 over the training samples
  kDate,      // the same of its days since 1970-01-01
  kCategory,  // a feature "name=value" for each value
  kIgnored,
};
struct DataColumn {
  std::string name;
  ColumnKind kind = ColumnKind::kText;

  friend bool operator==(const DataColumn&, const DataColumn&) = default;
};

// How raw text becomes words, and words become values. docs/formats/text.md has the details.
struct TextOptions {
  // A document is a string of symbols, not a bag of words: feature j is the code point of its j-th character that is
  // neither white space nor a control character, and 0 after its end. The options below then have no effect.
  bool sequences = false;
  // Weight of a word in a document: its count, its count times ln(documents / documents with the word), or 1.
  TermWeight weight = TermWeight::kTfIdf;
  // Drop words that carry no meaning of their own.
  StopWords stop_words = StopWords::kEnglish;
  // A Snowball language such as "english" or "german"; empty: words stay as they are.
  std::string stem;
  // Drop words that occur in fewer documents than this; 0: than 2 in collections of 500 or more.
  Index min_document_frequency = 1;
  // Drop words with fewer characters than this (before stemming).
  Index min_word_length = 2;
  // Drop words made of digits alone.
  bool drop_numbers = false;
  // Keep upper-case letters; otherwise case is folded as defined by Unicode.
  bool keep_case = false;
  // Keep the length of documents; otherwise each is scaled to Euclidean length 1.
  bool raw_length = false;
  // Runs of up to this many words are features too.
  Index word_runs = 1;
  // With tf-idf, a word that occurs n times counts 1 + ln n instead of n.
  bool sublinear = false;
  // Drop words that occur in a larger share of the documents.
  double max_document_share = 1;
  // Runs of characters within words are features too: "3" or "2-4" characters (code points), where a word has the
  // border _ at each end. Empty: none.
  std::string characters;
  // Words are numbered by a hash of this many bits instead of being kept; 0: they are kept. Their names are then not
  // known.
  Index hash_bits = 0;
  // Tables: a number that is one deviation from its mean counts as much as this much of a document, whose length is 1.
  double number_weight = 0.3;
  // Tables: what stands for a missing number: the mean of its column, 0, or nothing (NaN).
  MissingNumbers missing_numbers = MissingNumbers::kMean;
  // Tables: the columns that make the features; empty: a document is one text.
  std::vector<DataColumn> columns;
  // Tables: is a word in one text column the same feature as in another?
  TextFields fields = TextFields::kJoined;
  // Tables: the columns of the labels, one or one per level, and what joins the levels in the name of a label.
  std::vector<std::string> label_columns;
  std::string label_separator;
};

// Turns text into rows over the columns that were learnt from a collection. Kept with the data, so that new text can be
// vectorised in the same way later. With N documents, df(w) of which contain w, the value of word w in document d is
//
//   tf: n(w, d)      tf-idf: n(w, d) ln(N / df(w))      binary: 1
//
// divided by the Euclidean length of the row unless options.raw_length. With sequences, the row holds the symbols,
// there are no words, and the longest sequence gives the number of columns. Values of 0 are not stored. Texts are
// UTF-8; an invalid byte separates words. Bad options (an unknown language) throw Error (kInput).
struct TextVectorizer {
  TextOptions options;
  std::vector<std::string> words;         // column -> word, ascending in byte order
  std::vector<Index> document_frequency;  // column -> documents with the word, at least 1
  Index documents = 0;                    // number of documents it was learnt from
  // Tables: per column of numbers or dates, how its values become features, which stand after the words.
  struct Number {
    double mean = 0;
    double deviation = 1;
  };
  std::vector<Number> numbers;

  Index features() const { return static_cast<Index>(words.size() + numbers.size()); }
  // The words, then the names of the columns of numbers.
  std::vector<std::string> feature_names() const;

  // The column of a word that is already case-folded and stemmed; O(log words).
  std::optional<FeatureIndex> find(std::string_view word) const;
  double idf(FeatureIndex column) const;

  // The row of a document, columns ascending. Words outside the vocabulary are ignored. A document of the collection
  // gets exactly the row it had when learning. Thread-safe.
  struct Row {
    std::vector<FeatureIndex> columns;
    std::vector<double> values;
  };
  Row transform(std::string_view text) const;
  // The same for text that is already split into words; case, lengths, stop words and stemming still apply.
  Row transform_tokens(std::span<const std::string> tokens) const;
};

struct VectorizedText {
  std::shared_ptr<const TextVectorizer> vectorizer;
  SparseMatrix<double> rows;  // one per document
};

// Learns the vocabulary of a collection and returns its rows. The result does not depend on the number of threads.
VectorizedText learn_vectorizer(std::span<const std::string_view> documents, const TextOptions& options, Context& ctx);
// The rows of other documents over a vocabulary learnt before, as by transform().
SparseMatrix<double> vectorize(const TextVectorizer& vectorizer, std::span<const std::string_view> documents,
                               Context& ctx);

// Are the samples strings of symbols (TextOptions::sequences)?
bool holds_sequences(const Dataset& data);

// The languages that TextOptions::stem may name.
std::vector<std::string> stemming_languages();

}  // namespace clade
