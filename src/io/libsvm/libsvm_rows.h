#pragma once

#include <clade/io.h>
#include <clade/types.h>

#include "io/input.h"
#include "io/lines.h"
#include "io/parsed.h"

namespace clade {

// The second pass of the LIBSVM reader: chunks of lines, each parsed directly into its own part of the final matrix.

// Where a chunk's rows and values go: the parts of the matrix that the first pass counted for it.
template <class T>
struct LibsvmTarget {
  Index* row_ends;        // one per row: one past the place of its last value in the whole matrix
  FeatureIndex* indices;  // the place of the chunk's first value
  T* values;
  Index first_value;  // the number of values before the chunk
};

// What a chunk holds besides its values.
struct LibsvmChunk {
  LabelNames labels;
  Index rows = 0;
  Index values = 0;
  FeatureIndex largest = -1;  // the largest column
  Index missing = 0;
  Where first_missing;
  Index queries = 0;      // qid tokens that were skipped
  Index sorted_rows = 0;  // rows whose values were put in order
};

// Parses input.bytes()[chunk.begin..chunk.end), which are whole lines; the first has the number `first_line`. Throws
// Error at the first thing that is wrong. Writes no more than scan_libsvm() counted for the chunk.
template <class T>
LibsvmChunk parse_libsvm_chunk(const Input& input, LineChunk chunk, Index first_line, Index rows,
                               const ReadOptions& options, const LibsvmTarget<T>& target);

extern template LibsvmChunk parse_libsvm_chunk(const Input&, LineChunk, Index, Index, const ReadOptions&,
                                               const LibsvmTarget<float>&);
extern template LibsvmChunk parse_libsvm_chunk(const Input&, LineChunk, Index, Index, const ReadOptions&,
                                               const LibsvmTarget<double>&);

}  // namespace clade
