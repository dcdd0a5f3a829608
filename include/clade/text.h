#pragma once

#include <clade/types.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace clade {

enum class TermWeight { kTf, kTfIdf, kBinary };
enum class StopWords { kNone, kEnglish };

// How raw text is turned into words and words into values.
struct TextOptions {
  // Weight of a word in a document: its count, its count times ln(documents / documents with the word), or 1.
  TermWeight weight = TermWeight::kTfIdf;
  // Words that carry no meaning of their own are dropped.
  StopWords stop_words = StopWords::kEnglish;
  // A Snowball language such as "english" or "german"; empty: words stay as they are.
  std::string stem;
  // Words in fewer documents than this are dropped.
  Index min_document_frequency = 1;
  // Words shorter than this many letters are dropped.
  Index min_word_length = 2;
  // Upper-case letters are folded to lower case.
  bool keep_case = false;
  // Each document is scaled to Euclidean length 1.
  bool raw_length = false;
};

// Turns text into rows of the columns that were learnt from a collection. Kept with the data, so that new text can be
// vectorised the same way later.
struct TextVectorizer {
  TextOptions options;
  std::vector<std::string> words;                        // column -> word, in byte order
  std::vector<double> idf;                               // column -> ln(documents / documents with the word)
  Index documents = 0;                                   // the number of documents it was learnt from
  std::unordered_map<std::string, FeatureIndex> column;  // word -> column

  // The row of a document: columns ascending. Words outside the vocabulary are ignored.
  struct Row {
    std::vector<FeatureIndex> columns;
    std::vector<double> values;
  };
  Row transform(std::string_view text) const;
  // The same for text that is already cut into words: case, stop words and stemming still apply.
  Row transform_tokens(const std::vector<std::string>& tokens) const;
};

}  // namespace clade
