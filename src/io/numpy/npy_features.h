#pragma once

#include <clade/io.h>

#include "io/numpy/npy_array.h"
#include "io/parsed.h"

namespace clade {

// Sets the features from a matrix of numbers, with the missing values counted and found; an infinite one is an Error
// that names its row and column.
void set_dense_features(ParsedData& data, const NpyArray& array, const ReadOptions& options, Context& ctx);

// The same for compressed rows or columns, or coordinates: what scipy.sparse.save_npz writes.
class NpzArchive;
void set_sparse_features(ParsedData& data, NpzArchive& archive, std::size_t file_bytes, const ReadOptions& options,
                         Context& ctx);

}  // namespace clade
