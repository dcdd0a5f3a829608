#pragma once

#include <clade/types.h>

#include <Eigen/SparseCore>
#include <cstdint>
#include <vector>

#include "math/dense.h"

// Products with sparse matrices: parallel, and the same to the last bit for any number of threads.
namespace clade {

using SparseColumns = Eigen::SparseMatrix<double, Eigen::ColMajor>;

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// X' B. O(non-zeros x columns of B). B is row-major, so that everything one value of X is multiplied by is contiguous.
Matrix transposed_product(const SparseColumns& x, const RowMatrix& b, Context& ctx);

// Rows [begin, end) of it, row-major, on the calling thread.
void transposed_rows(const SparseColumns& x, const RowMatrix& b, Index begin, Index end, double* product);

// The lower triangle of C += X' diag(v) X, where `across` is X' stored by columns. Every entry is summed over the rows
// of X in their order. O(columns of X + sum over the rows of X of non-zeros^2).
void add_weighted_square(const SparseColumns& x, const SparseColumns& across, const Vector& v, MatrixRef c,
                         Context& ctx);

// The same again and again for other v, with the result in place of C: X' diag(v) X.
class WeightedSquare {
 public:
  static constexpr double kTerm = 16;  // bytes

  // `x` and `across`, as above, must outlive it. It keeps a term for every two entries of a row, if these are not more
  // than the cells, nor than `most_terms`.
  WeightedSquare(const SparseColumns& x, const SparseColumns& across, double most_terms);

  // Sets the lower triangle; the part above the diagonal is not changed.
  void set(const Vector& v, MatrixRef square, Context& ctx) const;

 private:
  // What an entry of a column adds to a row of the same column of the square: its weighted value times `value`.
  struct Term {
    std::int32_t entry;  // counted from the first of its column
    std::int32_t row;
    double value;
  };
  const SparseColumns& x_;
  const SparseColumns& across_;
  // In the order in which they are summed, column by column. Empty where there would be too many: finding the terms of
  // long rows costs little beside adding them.
  std::vector<Term> terms_;
  std::vector<std::size_t> offsets_;
};

// Rows [begin, end) of X' B once more, for columns of X that mostly have few entries.
class ShortColumns {
 public:
  // `x` must outlive it.
  explicit ShortColumns(const SparseColumns& x);

  // B has kWide columns; and so has what comes out, row-major.
  static constexpr Index kWide = 8;
  void transposed_rows(const double* b, Index begin, Index end, double* product) const;

 private:
  const SparseColumns& x_;
  std::vector<std::int32_t> column_;  // of every entry
};

// A B as a dense matrix, on the calling thread.
Matrix dense_product(const SparseColumns& a, const SparseColumns& b);

}  // namespace clade
