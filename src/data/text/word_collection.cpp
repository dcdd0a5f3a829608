#include "data/text/word_collection.h"

#include <clade/error.h>

#include <algorithm>
#include <tuple>

#include "core/parallel.h"
#include "data/text/vectorizer.h"

namespace clade {
namespace {

std::vector<WordCollection::Place> places_of(const Dataset& data, std::span<const Index> samples) {
  std::vector<WordCollection::Place> places;
  places.reserve(samples.size());
  for (const Index s : samples) {
    places.push_back(data.words()->places[static_cast<std::size_t>(data.source_row(s))]);
  }
  return places;
}

void append_numbers(const WordCounts& from, Index document, WordCounts& to) {
  const Index columns = from.documents() == 0 ? 0 : std::ssize(from.numbers) / from.documents();
  const auto begin = from.numbers.begin() + document * columns;
  to.numbers.insert(to.numbers.end(), begin, begin + columns);
}

// The counts of some documents, chunk by chunk as they were counted. A sample that occurs twice counts twice.
std::vector<WordCounts> counted_again(const WordCollection& words, std::span<const WordCollection::Place> places) {
  std::vector<WordCounts> result(words.chunks->size());
  std::vector<std::vector<std::int32_t>> number(words.chunks->size());  // of a word within the new chunk
  for (const auto& [chunk, document] : places) {
    const auto c = static_cast<std::size_t>(chunk);
    const WordCounts& old = (*words.chunks)[c];
    WordCounts& own = result[c];
    if (number[c].empty()) number[c].assign(static_cast<std::size_t>(old.words.size()), WordTable::kNone);
    for (const WordCount entry : old.of(document)) {
      std::int32_t& word = number[c][static_cast<std::size_t>(entry.word)];
      if (word == WordTable::kNone) {
        word = own.words.intern(old.words.word(entry.word));
        own.document_frequency.push_back(0);
      }
      ++own.document_frequency[static_cast<std::size_t>(word)];
    }
    own.ends.push_back(0);  // counted only; its words are not kept
    append_numbers(old, document, own);
  }
  return result;
}

// Copies the counts of each sample in turn, because make_rows() uses them up. The chunks have a fixed size, so that
// rows are in the order of the samples.
std::vector<WordCounts> copied(const WordCollection& words, std::span<const WordCollection::Place> places,
                               Context& ctx) {
  constexpr Index kDocuments = 1024;
  const Index count = (std::ssize(places) + kDocuments - 1) / kDocuments;
  std::vector<WordCounts> result(static_cast<std::size_t>(count));
  parallel_for(ctx, count, 1, [&](Index chunk, Index) {
    WordCounts& own = result[static_cast<std::size_t>(chunk)];
    const Index end = std::min(std::ssize(places), (chunk + 1) * kDocuments);
    for (Index k = chunk * kDocuments; k < end; ++k) {
      const auto& [from, document] = places[static_cast<std::size_t>(k)];
      const WordCounts& old = (*words.chunks)[static_cast<std::size_t>(from)];
      for (const WordCount entry : old.of(document)) {
        own.counts.push_back({own.words.intern(old.words.word(entry.word)), entry.count});
      }
      own.ends.push_back(own.counts.size());
      append_numbers(old, document, own);
    }
  });
  return result;
}

}  // namespace

std::shared_ptr<const WordCollection> collected(std::vector<WordCounts> chunks, std::span<const Index> rows,
                                                const TextOptions& options) {
  auto result = std::make_shared<WordCollection>();
  result->options = options;
  std::size_t documents = 0;
  for (const WordCounts& chunk : chunks) documents += chunk.ends.size();
  result->places.resize(documents);
  std::size_t d = 0;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    for (Index document = 0; document < chunks[c].documents(); ++document, ++d) {
      const std::size_t row = rows.empty() ? d : static_cast<std::size_t>(rows[d]);
      result->places[row] = {static_cast<std::int32_t>(c), static_cast<std::int32_t>(document)};
    }
  }
  result->chunks = std::make_shared<const std::vector<WordCounts>>(std::move(chunks));
  return result;
}

namespace {

Dataset rows_over(const Dataset& data, std::shared_ptr<const TextVectorizer> vectorizer, Context& ctx) {
  const WordCollection& words = *data.words();
  std::vector<Index> all(static_cast<std::size_t>(data.samples()));
  for (std::size_t s = 0; s < all.size(); ++s) all[s] = static_cast<Index>(s);
  const std::vector<WordCollection::Place> places = places_of(data, all);
  std::vector<WordCounts> chunks = copied(words, places, ctx);
  Dataset::Parts parts;
  if (is_single_precision(data.matrix())) {
    parts.features = make_rows<float>(*vectorizer, chunks, {}, ctx);
  } else {
    parts.features = make_rows<double>(*vectorizer, chunks, {}, ctx);
  }
  parts.feature_names = vectorizer->feature_names();
  parts.vectorizer = std::move(vectorizer);
  parts.words =
      std::make_shared<const WordCollection>(WordCollection{words.options, words.chunks, std::vector(places)});
  return data.with_features(std::move(parts));
}

// Do both options count the same words? How these are weighed does not matter.
bool counts_alike(const TextOptions& a, const TextOptions& b) {
  const auto facts = [](const TextOptions& o) {
    return std::tie(o.sequences, o.stop_words, o.stem, o.min_word_length, o.drop_numbers, o.keep_case, o.word_runs,
                    o.characters, o.hash_bits, o.columns, o.fields);
  };
  return facts(a) == facts(b);
}

}  // namespace

std::optional<Dataset> with_vocabulary(const Dataset& data, std::shared_ptr<const TextVectorizer> vectorizer,
                                       Context& ctx) {
  if (!data.words() || vectorizer->options.sequences || !counts_alike(data.words()->options, vectorizer->options)) {
    return std::nullopt;
  }
  return rows_over(data, std::move(vectorizer), ctx);
}

Dataset with_words_of(const Dataset& data, std::span<const Index> samples, Context& ctx) {
  const WordCollection& words = *data.words();
  auto vectorizer =
      std::make_shared<TextVectorizer>(learn_vocabulary(counted_again(words, places_of(data, samples)), words.options));
  if (vectorizer->features() == 0) {
    throw usage_error("no word is left in the training samples",
                      "expected text with words that are long and frequent enough and no stop words");
  }
  return rows_over(data, std::move(vectorizer), ctx);
}

}  // namespace clade
