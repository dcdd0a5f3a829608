#pragma once

#include <clade/io.h>

#include "io/numpy/npy_array.h"
#include "io/parsed.h"

namespace clade {

// Sets the features from a matrix of numbers, and counts and locates missing values; an infinite value is an Error that
// names its row and column.
void set_dense_features(ParsedData& data, const NpyArray& array, const ReadOptions& options, Context& ctx);

// The same for compressed rows or columns, or coordinates: what scipy.sparse.save_npz writes.
class NpzArchive;
void set_sparse_features(ParsedData& data, NpzArchive& archive, std::size_t file_bytes, const ReadOptions& options,
                         Context& ctx);

// Labels from an array with one row per sample: whole numbers (each is a label), strings (the labels of one sample,
// separated by options.label_separators), or a matrix of 0 and 1 with one column per class, named by its number from 0.
// A matrix with one column counts as a list. Throws Error if the array does not have `samples` rows or holds anything
// else.
LabelNames labels_from_array(const NpyArray& array, Index samples, const ReadOptions& options);

}  // namespace clade
