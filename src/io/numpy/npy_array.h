#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "io/numpy/npy_header.h"

namespace clade {

// An array in memory: its head, and its elements as they were stored. It refers to bytes kept elsewhere.
struct NpyArray {
  ArrayPlace place;
  NpyHeader header;
  std::string_view elements;  // header.data_bytes of them
};

// The array that `bytes` hold from the first to the last. Throws Error where they are more or fewer than its shape
// says.
NpyArray npy_array(std::string_view bytes, ArrayPlace place);

// Elements [begin, begin + count) in stored order as numbers; T is double or float, and what is too large for it
// becomes infinite. Requires header.is_number().
template <class T>
void copy_numbers(const NpyArray& array, Index begin, Index count, T* out);

// How many elements are integers that a double holds only nearly.
Index count_inexact(const NpyArray& array);

// The elements in stored order as integers; truth values are 0 and 1. Throws Error for 2^63 and more. Requires
// integers or truth values.
void copy_integers(const NpyArray& array, Index begin, Index count, Index* out);
// All of them. Throws Error unless the array is of integers, in one dimension.
std::vector<Index> integer_vector(const NpyArray& array);

// One string, as UTF-8 and without the NULs that fill it up. Throws Error if it is not well-formed text. Requires
// header.is_string().
std::string string_at(const NpyArray& array, Index position);
// All of them. Throws Error unless the array is of strings, in one dimension.
std::vector<std::string> string_vector(const NpyArray& array);

// A matrix of numbers, stored in either order, as rows. Throws Error unless the array is of numbers, in two
// dimensions, with no more columns than a FeatureIndex can count.
template <class T>
DenseMatrix<T> dense_matrix(const NpyArray& array, Context& ctx);

}  // namespace clade
