#pragma once

#include <clade/dataset.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "io/arff/arff_header.h"

namespace clade {

// Where the values of dense rows go: straight into the matrix.
template <class T>
class DenseRows {
 public:
  using Value = T;
  DenseRows(T* values, Index columns, Index first_row) : next_(values + first_row * columns), columns_(columns) {}

  void begin_row() {
    row_ = next_;
    next_ += columns_;
  }
  void number(FeatureIndex column, T value) { row_[column] = value; }
  void stated_number(FeatureIndex column, T value) { row_[column] = value; }
  void one_of(const ArffAttribute& nominal, Index value) {
    std::fill_n(row_ + nominal.first_column, nominal.columns, T(0));
    row_[nominal.first_column + value] = 1;
  }
  void end_row() {}
  std::size_t bytes() const { return 0; }

 private:
  T* next_;
  T* row_ = nullptr;
  Index columns_;
};

// Where the values of a chunk go if the matrix is sparse: into arrays of the chunk, which are put together at the end.
template <class T>
class SparseRows {
 public:
  using Value = T;
  SparseRows() = default;
  // Room for a value per comma and row, so that arrays rarely grow.
  SparseRows(std::string_view text, Index rows) {
    const auto values = static_cast<std::size_t>(std::count(text.begin(), text.end(), ',') + rows);
    indices_.reserve(values);
    values_.reserve(values);
    row_ends_.reserve(static_cast<std::size_t>(rows));
  }

  void begin_row() {}
  void end_row() { row_ends_.push_back(static_cast<Index>(indices_.size())); }
  void number(FeatureIndex column, T value) {
    if (value != 0) stated_number(column, value);
  }
  // A sparse row may state a zero; it is kept.
  void stated_number(FeatureIndex column, T value) {
    indices_.push_back(column);
    values_.push_back(value);
  }
  void one_of(const ArffAttribute& nominal, Index value) {
    stated_number(nominal.first_column + static_cast<FeatureIndex>(value), 1);
  }

  std::size_t bytes() const { return indices_.size() * (sizeof(FeatureIndex) + sizeof(T)); }
  Index size() const { return static_cast<Index>(indices_.size()); }

  // Puts the chunk at its place of the matrix, whose entries before it are `first`, and gives its memory back.
  void move_into(SparseMatrix<T>& matrix, Index first_row, Index first) {
    std::copy(indices_.begin(), indices_.end(), matrix.indices.data() + first);
    std::copy(values_.begin(), values_.end(), matrix.values.data() + first);
    for (std::size_t k = 0; k < row_ends_.size(); ++k) {
      matrix.offsets[first_row + static_cast<Index>(k) + 1] = first + row_ends_[k];
    }
    *this = SparseRows();
  }

 private:
  std::vector<FeatureIndex> indices_;
  std::vector<T> values_;
  std::vector<Index> row_ends_;
};

}  // namespace clade
