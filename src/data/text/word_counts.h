#pragma once

#include <clade/text.h>

#include <optional>

#include "data/text/characters.h"
#include "data/text/stemmer.h"
#include "data/text/tokenizer.h"
#include "data/text/word_table.h"

namespace clade {

// For sequences (TextOptions::sequences), `word` is the position of a symbol and `count` its code point.
struct WordCount {
  std::int32_t word = 0;  // its number in `words`; vectorising replaces it by a column
  std::uint32_t count = 0;
};

// The words of a run of documents, counted per document.
struct WordCounts {
  WordTable words;                               // folded and stemmed
  std::vector<std::int32_t> document_frequency;  // per word, the documents of this run that contain it
  std::vector<WordCount> counts;                 // document by document, words in order of first appearance
  std::vector<std::size_t> ends;                 // per document, where its counts end
  std::vector<double> numbers;                   // per document, those of its columns of numbers; NaN: missing

  Index documents() const { return static_cast<Index>(ends.size()); }
  std::span<WordCount> of(Index document) { return {counts.data() + begin(document), size(document)}; }
  std::span<const WordCount> of(Index document) const { return {counts.data() + begin(document), size(document)}; }

 private:
  std::size_t begin(Index document) const { return document == 0 ? 0 : ends[static_cast<std::size_t>(document) - 1]; }
  std::size_t size(Index document) const { return ends[static_cast<std::size_t>(document)] - begin(document); }
};

// Fills a WordCounts. Questions about a word alone (is it too short, is it a stop word, what is its stem) are answered
// once per spelling, not once per occurrence. Large collections are cut into chunks of about kChunkBytes of text, each
// with its own counter; the cuts must not depend on the number of threads.
class WordCounter {
 public:
  static constexpr std::size_t kChunkBytes = 1U << 20U;
  // Counts stay below 2^32. Readers refuse longer documents.
  static constexpr std::size_t kLargestDocument = 1U << 30U;

  // Throws Error (kInput) on options that make no sense. The options must outlive the counter.
  explicit WordCounter(const TextOptions& options);

  // Adds UTF-8 text, or a word that is already cut out, to the current document. For sequences, both add all symbols.
  void add_text(std::string_view text);
  void add_token(std::string_view word);
  // Tables: words added from now on are those of this column; empty: of no column in particular.
  void enter_field(std::string_view column);
  // Tables: adds the value of a category, or of a column of numbers (NaN: missing).
  void add_category(std::string_view column, std::string_view value);
  void add_number(double value) { result_.numbers.push_back(value); }
  void end_document();

  WordCounts take() &&;

 private:
  void add_form(std::string_view form);
  void add_runs(std::int32_t word);
  void find_character_runs(std::string_view form, std::int32_t word);
  void count(std::int32_t word);
  std::int32_t intern(std::string_view word);
  void add_symbols(std::string_view text);
  std::int32_t word_of_spelling(std::string_view form);
  bool is_dropped(std::string_view form);

  const TextOptions& options_;
  Tokenizer tokenizer_;
  Tokenizer folder_;
  std::optional<Stemmer> stemmer_;
  WordTable spellings_;
  std::vector<std::int32_t> word_of_;  // per spelling, its word, or WordTable::kNone if it is dropped
  CharacterRuns characters_;
  // Per spelling, the words that stand for its runs of characters: parts_[part_ends_[k - 1]..part_ends_[k]).
  std::vector<std::int32_t> parts_;
  std::vector<std::size_t> part_ends_;
  std::vector<std::size_t> latest_;  // per word, one past the place of its latest entry in counts
  std::size_t document_begin_ = 0;
  std::vector<char32_t> symbols_;
  std::string field_;                 // what stands before the words of a column
  std::string spelling_;              // reused from word to word
  std::vector<std::int32_t> before_;  // the last words of the current text, for runs
  WordCounts result_;
};

// Throws Error (kInput) on options that make no sense.
void check_text_options(const TextOptions& options);

}  // namespace clade
