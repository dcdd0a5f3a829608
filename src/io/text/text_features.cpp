#include "io/text/text_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/parallel.h"
#include "data/text/vectorizer_json.h"
#include "data/text/word_collection.h"
#include "io/input.h"
#include "io/json_input.h"

namespace clade {

namespace {

Index empty_rows(const FeatureMatrix& features) {
  Index empty = 0;
  for (Index r = 0; r < row_count(features); ++r) {
    std::visit(
        [&](const auto& matrix) {
          if constexpr (requires { matrix.indices; }) empty += matrix.row_indices(r).empty() ? 1 : 0;
        },
        features);
  }
  return empty;
}

}  // namespace

std::string counted(Index count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void DocumentDecoder::Tally::add(const Tally& other) {
  latin1 += other.latin1;
  zero_bytes += other.zero_bytes;
}

void DocumentDecoder::Tally::note(std::vector<std::string>& notes) const {
  if (latin1 > 0) notes.push_back(counted(latin1, "document") + " not in UTF-8, read as Latin-1");
  if (zero_bytes > 0) notes.push_back(counted(zero_bytes, "document") + " with zero bytes: perhaps not text");
}

std::string_view DocumentDecoder::decode(std::string_view bytes, const Where& where) {
  if (bytes.size() > WordCounter::kLargestDocument) {
    throw input_error(where, fmt::format("a document of {} bytes", bytes.size()), "expected at most 1 GiB");
  }
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    throw input_error(where, "the text is UTF-16", "expected UTF-8 or Latin-1");
  }
  if (bytes.find('\0') != std::string_view::npos) ++tally_.zero_bytes;
  if (encoding_ != Encoding::kLatin1) {
    const std::size_t bad = first_invalid_utf8(bytes);
    if (bad == std::string_view::npos) return bytes;
    if (encoding_ == Encoding::kUtf8) {
      const auto lines = static_cast<Index>(std::ranges::count(bytes.substr(0, bad), '\n'));
      throw input_error({.file = where.file, .line = std::max<Index>(where.line, 1) + lines}, "the text is not UTF-8",
                        "expected UTF-8, or use `encoding` latin-1");
    }
    ++tally_.latin1;
  }
  buffer_ = latin1_to_utf8(bytes);
  return buffer_;
}

TextFeatures::TextFeatures(const ReadOptions& options, Context& ctx) : options_(options) {
  given_ = options.vectorizer;
  if (!options.vocabulary.empty()) given_ = read_vectorizer(options.vocabulary, ctx);
  check_text_options(text_options());
  if (options.text.sequences && !text_options().sequences) {
    throw usage_error("`sequences`, but the vocabulary is of words",
                      "expected the way of reading that was learnt with");
  }
}

void TextFeatures::finish(std::vector<WordCounts> chunks, RowOrder rows, const std::string& file, ParsedData& data,
                          Context& ctx) {
  auto vectorizer = given_;
  if (!vectorizer) vectorizer = std::make_shared<TextVectorizer>(learn_vocabulary(chunks, options_.text));
  if (vectorizer->documents == 0) throw input_error({.file = file}, "no document", "expected at least one");
  if (vectorizer->options.sequences) return finish_sequences(std::move(vectorizer), chunks, rows, file, data, ctx);
  if (vectorizer->features() == 0) {
    throw input_error({.file = file}, "no word is left in the documents",
                      "expected text with words that are long and frequent enough and no stop words");
  }
  // A given vocabulary is not learnt from these documents, so their words are not needed to learn one from some of
  // them.
  const bool keeps = options_.keep_words && !given_;
  std::vector<std::vector<WordCount>> counts;  // making rows uses them up
  for (const WordCounts& chunk : chunks) {
    if (keeps) counts.push_back(chunk.counts);
  }
  make_features(*vectorizer, chunks, rows, data, ctx);
  if (keeps) {
    for (std::size_t c = 0; c < chunks.size(); ++c) chunks[c].counts = std::move(counts[c]);
    data.words = collected(std::move(chunks), rows, vectorizer->options);
  }
  data.feature_names = vectorizer->feature_names();
  data.vectorizer = std::move(vectorizer);
  const Index empty = empty_rows(data.features);
  if (empty > 0)
    data.notes.push_back(counted(empty, "document") + " without a word of the vocabulary: all values are 0");
}

void TextFeatures::finish_sequences(std::shared_ptr<const TextVectorizer> vectorizer, std::span<WordCounts> chunks,
                                    RowOrder rows, const std::string& file, ParsedData& data, Context& ctx) const {
  make_features(*vectorizer, chunks, rows, data, ctx);
  if (column_count(data.features) == 0) {
    throw input_error({.file = file}, "no symbol in any sequence", "expected text other than white space");
  }
  data.vectorizer = std::move(vectorizer);
  const Index empty = empty_rows(data.features);
  if (empty > 0) data.notes.push_back(counted(empty, "sequence") + " without a symbol");
}

void TextFeatures::make_features(const TextVectorizer& vectorizer, std::span<WordCounts> chunks, RowOrder rows,
                                 ParsedData& data, Context& ctx) const {
  if (options_.precision == Precision::kFloat) {
    data.features = make_rows<float>(vectorizer, chunks, rows, ctx);
  } else {
    data.features = make_rows<double>(vectorizer, chunks, rows, ctx);
  }
}

std::shared_ptr<const TextVectorizer> read_vectorizer(const std::string& path, Context& ctx) {
  const Input input = Input::open(path, ctx);
  const nlohmann::json meta = parse_json(input);
  const Where where{.file = input.name()};
  if (!meta.is_object() || !meta.contains("vectorizer")) {
    throw input_error(where, "no vocabulary in this file", "expected a .meta.json with the key \"vectorizer\"");
  }
  return std::make_shared<TextVectorizer>(vectorizer_from_json(meta["vectorizer"], where));
}

std::vector<Index> first_lines(std::string_view text, std::span<const LineChunk> chunks, Context& ctx) {
  std::vector<Index> first(chunks.size() + 1, 1);
  parallel_for(ctx, static_cast<Index>(chunks.size()), 1, [&](Index chunk, Index) {
    const auto c = static_cast<std::size_t>(chunk);
    first[c + 1] = count_lines(text.substr(chunks[c].begin, chunks[c].end - chunks[c].begin));
  });
  std::partial_sum(first.begin(), first.end(), first.begin());
  return first;
}

}  // namespace clade
