#pragma once

#include <clade/text.h>

#include "data/text/word_counts.h"

namespace clade {

// The vocabulary of a collection whose documents were counted in chunks: words of at least the minimum document
// frequency, in byte order. Depends on the documents only, not on how they were cut into chunks.
TextVectorizer learn_vocabulary(std::span<const WordCounts> chunks, const TextOptions& options);

// Which row each document gets, counting through the chunks; empty: their order.
using RowOrder = std::span<const Index>;

// The rows of documents that were counted with the vectoriser's options. The chunks' counts are used up.
template <class T>
SparseMatrix<T> make_rows(const TextVectorizer& vectorizer, std::span<WordCounts> chunks, RowOrder rows, Context& ctx);

}  // namespace clade
