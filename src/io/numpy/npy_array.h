#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/numpy/npy_header.h"

namespace clade {

// An array in memory: its header, and its elements as stored. It refers to bytes kept elsewhere.
struct NpyArray {
  ArrayPlace place;
  NpyHeader header;
  std::string_view elements;  // header.data_bytes of them
  // Keeps the elements alive, if they are in a file and not in memory; else null.
  std::shared_ptr<const void> file;
};

// The array that `bytes` consist of. Throws Error if they are more or fewer than its shape says.
NpyArray npy_array(std::string_view bytes, ArrayPlace place);

// Elements [begin, begin + count) in stored order as numbers; T is double or float, and values too large for it become
// infinite. Requires header.is_number().
template <class T>
void copy_numbers(const NpyArray& array, Index begin, Index count, T* out);

// The number of elements that are integers not exact as doubles.
Index count_inexact(const NpyArray& array);

// The elements in stored order as integers; truth values are 0 and 1. Throws Error for 2^63 and above. Requires
// integers or truth values.
void copy_integers(const NpyArray& array, Index begin, Index count, Index* out);
// All elements. Throws Error unless the array has one dimension and integers.
std::vector<Index> integer_vector(const NpyArray& array);

// One string, as UTF-8 and without the NULs that pad it. Throws Error if it is not well-formed text. Requires
// header.is_string().
std::string string_at(const NpyArray& array, Index position);
// All elements. Throws Error unless the array has one dimension and strings.
std::vector<std::string> string_vector(const NpyArray& array);

// A matrix of numbers, stored in either order, as rows. Throws Error unless the array has two dimensions and numbers,
// with no more columns than a FeatureIndex can count.
template <class T>
DenseMatrix<T> dense_matrix(const NpyArray& array, Context& ctx);
// The same without a copy: the matrix is that of the file, and nobody may write to it. Nothing unless the elements are
// in a file, just as the matrix has them, and a copy would go beyond the limit of memory.
template <class T>
std::optional<DenseMatrix<T>> dense_matrix_in_file(const NpyArray& array);

}  // namespace clade
