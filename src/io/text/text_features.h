#pragma once

#include <clade/io.h>

#include "data/text/vectorizer.h"
#include "io/lines.h"
#include "io/parsed.h"

namespace clade {

// What the layouts of raw text share: the bytes of a document become UTF-8, and counted words become features.

// Converts documents to UTF-8 and counts what it found. One per chunk of documents.
class DocumentDecoder {
 public:
  explicit DocumentDecoder(Encoding encoding) : encoding_(encoding) {}

  // The document as UTF-8; the view is valid as long as `bytes`, and until the next call. Throws Error (kInput) at
  // `where` (which names the first line) on UTF-16, on a document that is too long, and, if the encoding is stated to
  // be UTF-8, on one that is not.
  std::string_view decode(std::string_view bytes, const Where& where);

  struct Tally {
    Index latin1 = 0;      // documents that were not UTF-8 and were read as Latin-1
    Index zero_bytes = 0;  // documents with a zero byte, which text does not have
    void add(const Tally& other);
    void note(std::vector<std::string>& notes) const;
  };
  const Tally& tally() const { return tally_; }

 private:
  Encoding encoding_;
  Tally tally_;
  std::string buffer_;
};

// How the words of a file are counted and weighted: by the options, or by a vocabulary learnt before.
class TextFeatures {
 public:
  // Reads options.vocabulary if there is one.
  TextFeatures(const ReadOptions& options, Context& ctx);

  const TextOptions& text_options() const { return given_ ? given_->options : options_.text; }

  // Sets features, feature names, vectoriser and notes of `data`. It is an error if there is no document or no word;
  // `file` is for messages.
  void finish(std::vector<WordCounts> chunks, RowOrder rows, const std::string& file, ParsedData& data, Context& ctx);

 private:
  void finish_sequences(std::shared_ptr<const TextVectorizer> vectorizer, std::span<WordCounts> chunks, RowOrder rows,
                        const std::string& file, ParsedData& data, Context& ctx) const;
  void make_features(const TextVectorizer& vectorizer, std::span<WordCounts> chunks, RowOrder rows, ParsedData& data,
                     Context& ctx) const;

  const ReadOptions& options_;
  std::shared_ptr<const TextVectorizer> given_;
};

// The vectoriser in a .meta.json file, under the key "vectorizer".
std::shared_ptr<const TextVectorizer> read_vectorizer(const std::string& path, Context& ctx);

// The number of the first line of each chunk, and at the end one more than the number of lines.
std::vector<Index> first_lines(std::string_view text, std::span<const LineChunk> chunks, Context& ctx);

// "1 document", "2 documents"
std::string counted(Index count, std::string_view noun);

}  // namespace clade
