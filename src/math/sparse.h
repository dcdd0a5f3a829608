#pragma once

#include <clade/types.h>

#include <Eigen/SparseCore>

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

// A B as a dense matrix, on the calling thread.
Matrix dense_product(const SparseColumns& a, const SparseColumns& b);

}  // namespace clade
