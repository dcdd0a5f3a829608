#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "data/text/word_counts.h"

namespace clade {

// The counted words of a collection, and where those of each sample are. Collections of some of the samples share the
// counts.
struct WordCollection {
  struct Place {
    std::int32_t chunk = 0;
    std::int32_t document = 0;  // within the chunk
  };
  TextOptions options;
  std::shared_ptr<const std::vector<WordCounts>> chunks;
  std::vector<Place> places;  // per row of the data set that owns it
};

// Keeps the words of documents that were counted in chunks. Document d, counted through the chunks, is row rows[d], or
// row d if `rows` is empty.
std::shared_ptr<const WordCollection> collected(std::vector<WordCounts> chunks, std::span<const Index> rows,
                                                const TextOptions& options);

// The samples of `data`, which must have words(), over the vocabulary of the given ones: columns, document frequencies
// and values are those that a file with just these would have given. The precision is that of `data`.
Dataset with_words_of(const Dataset& data, std::span<const Index> samples, Context& ctx);

// The samples of `data` over a vocabulary that was learnt elsewhere: what a file with them gives that is read with it.
// None: `data` has no words(), or they were counted under other options.
std::optional<Dataset> with_vocabulary(const Dataset& data, std::shared_ptr<const TextVectorizer> vectorizer,
                                       Context& ctx);

}  // namespace clade
