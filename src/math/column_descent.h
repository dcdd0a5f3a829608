#pragma once

#include <clade/types.h>

#include <vector>

#include "math/quadratic_form.h"

namespace clade {

// Replaces u by the minimum of h ||x||^2 - 2 <x, u> + lambda ||x||. False if there is none.
bool shrink_row(double h, double lambda, Eigen::RowVectorXd& u);

// Z W, separately for the two kinds of rows. A sparse column touches few samples, whose values are contiguous here.
struct Fitted {
  Matrix sparse;  // transposed
  Matrix dense;
};
Fitted forward(const ColumnSet& z, const Matrix& w);
// Z' F
Matrix backward(const ColumnSet& z, const Fitted& f);
// Adds the part of the dense rows, for some columns.
void add_backward(const ConstMatrixRef& dense, const Fitted& f, MatrixRef result);

// The lower triangles of Z'Z of blocks of columns; empty until somebody needs them.
using BlockGrams = std::vector<Matrix>;

// QuadraticBlock::descend() by the columns of Z; `diagonal` is that of H. Dense columns are taken in blocks: the
// products of a block with Z W are one matrix product, and corrected by the Gram matrix of the block as its rows
// change, so that each row still sees the newest values of all others. Every few passes, the last iterates are combined
// into the point to which they seem to converge (Anderson extrapolation; M. Massias, S. Vaiter, A. Gramfort, J. Salmon,
// Dual extrapolation for sparse generalized linear models, 2020; Q. Bertrand, M. Massias, Anderson acceleration of
// coordinate descent, 2021), which is kept if the objective is smaller there. The grams stay for the next call with the
// same Z.
bool column_descent(const ColumnSet& z, const Vector& diagonal, double lambda, int passes, const Matrix& linear,
                    Matrix& w, Matrix& g, BlockGrams& grams);

}  // namespace clade
