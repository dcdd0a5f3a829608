#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/types.h>

#include <atomic>
#include <optional>

namespace clade {

// A cell of a matrix, rows and columns from 0.
struct Cell {
  Index row = 0;
  Index column = 0;

  friend bool operator==(const Cell&, const Cell&) = default;
};

// Puts the columns of each row in ascending order. Returns the first cell, by row and column, that occurs twice, or
// nothing. Rows already in order cost one pass.
template <class T>
std::optional<Cell> sort_rows(SparseMatrix<T>& matrix, Context& ctx);

// Builds compressed rows from cells in any order, in two passes and without a copy of the cells: the first counts, the
// second places. Both may run on several threads at once; the result is the same for any number.
//
//   CsrBuilder<double> builder(rows, columns);
//   for every cell: builder.count(row);
//   builder.allocate();
//   for every cell: builder.place(row, column, value);     the same cells, in any order
//   SparseMatrix<double> matrix = builder.finish(ctx, repeated);
template <class T>
class CsrBuilder {
 public:
  CsrBuilder(Index rows, Index columns);

  void count(Index row) { next(row); }
  void allocate();
  void place(Index row, FeatureIndex column, T value) {
    const Index at = next(row);
    matrix_.indices[at] = column;
    matrix_.values[at] = value;
  }
  // `repeated` becomes what sort_rows() returns.
  SparseMatrix<T> finish(Context& ctx, std::optional<Cell>& repeated);

 private:
  // offsets[row] counts the cells of the row, and after allocate() is where its next cell goes.
  Index next(Index row) { return std::atomic_ref<Index>(matrix_.offsets[row]).fetch_add(1, std::memory_order_relaxed); }

  SparseMatrix<T> matrix_;
};

}  // namespace clade
