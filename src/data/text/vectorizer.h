#pragma once

#include <clade/text.h>

#include "data/text/word_counts.h"

namespace clade {

// The vocabulary of a collection whose documents were counted in chunks: the words with at least the minimum document
// frequency, in byte order. Depends only on the documents, not on how they were cut into chunks.
TextVectorizer learn_vocabulary(std::span<const WordCounts> chunks, const TextOptions& options);

// The row of each document, counted through the chunks; empty: in their order.
using RowOrder = std::span<const Index>;

// The rows of documents that were counted with the vectoriser's options. Uses up the chunks' counts.
template <class T>
SparseMatrix<T> make_rows(const TextVectorizer& vectorizer, std::span<WordCounts> chunks, RowOrder rows, Context& ctx);

}  // namespace clade
