#include "math/quadratic_form.h"

#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "math/column_descent.h"

namespace clade {
namespace {

constexpr Index kRowsPerTask = 256;  // enough for an efficient matrix product

// The Cholesky factor of a matrix that it owns.
class Factor {
 public:
  bool set(Matrix matrix, Context& ctx) {
    matrix_ = std::move(matrix);
    return cholesky(matrix_, ctx);
  }
  void solve(Matrix& b, Context& ctx) const { cholesky_solve(matrix_, b, ctx); }

 private:
  Matrix matrix_;
};

class GramBlock : public QuadraticBlock {
 public:
  explicit GramBlock(Matrix h) : h_(std::move(h)) {}

  Matrix product(const Matrix& v, Context& ctx) const override {
    Matrix result = Matrix::Zero(v.rows(), v.cols());
    if (v.size() > 0) add_product(h_, v, result, ctx);
    return result;
  }

  bool descend(double lambda, int passes, const Matrix& /*linear*/, Matrix& w, Matrix& g) const override {
    Eigen::RowVectorXd u(w.cols());
    for (int pass = 0; pass < passes; ++pass) {
      for (Index j = 0; j < w.rows(); ++j) {
        u = g.row(j) + h_(j, j) * w.row(j);
        if (!shrink_row(h_(j, j), lambda, u)) return false;
        u -= w.row(j);
        if (u.isZero(0)) continue;
        w.row(j) += u;
        g.noalias() -= h_.col(j) * u;
      }
    }
    return true;
  }

  bool factor(const Vector& m, Context& ctx) override {
    Matrix sum = h_;
    sum.diagonal() += m;
    return factor_.set(std::move(sum), ctx);
  }
  void solve(Matrix& b, Context& ctx) const override { factor_.solve(b, ctx); }

 private:
  Matrix h_;
  Factor factor_;
};

class GramForm : public QuadraticForm {
 public:
  explicit GramForm(Matrix gram) : gram_(std::move(gram)), diagonal_(gram_.diagonal()) {}

  const Vector& diagonal() const override { return diagonal_; }

  Matrix product(std::span<const Index> rows, const Matrix& w, std::span<const Index> wanted,
                 Context& ctx) const override {
    Matrix result = Matrix::Zero(std::ssize(wanted), w.cols());
    if (rows.empty()) return result;
    parallel_for(ctx, std::ssize(wanted), kRowsPerTask, [&](Index begin, Index end) {
      const auto some = wanted.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
      const Matrix part = gram_(rows, some);  // symmetric: the transpose of what is wanted
      result.middleRows(begin, end - begin).noalias() = part.transpose() * w;
    });
    return result;
  }

  std::unique_ptr<QuadraticBlock> block(std::span<const Index> rows, Context& /*ctx*/) const override {
    return std::make_unique<GramBlock>(gram_(rows, rows));
  }

 private:
  Matrix gram_;
  Vector diagonal_;
};

ColumnSet chosen(const ColumnSet& all, std::span<const Index> columns) {
  ColumnSet some;
  some.ridge = all.ridge(columns);
  some.dense = all.dense(Eigen::all, columns);
  some.sparse.resize(all.sparse.rows(), std::ssize(columns));
  Index stored = 0;
  for (const Index j : columns) stored += all.sparse.col(j).nonZeros();
  some.sparse.reserve(stored);
  for (Index k = 0; k < std::ssize(columns); ++k) {
    some.sparse.startVec(k);
    for (SparseColumns::InnerIterator it(all.sparse, columns[static_cast<std::size_t>(k)]); it; ++it) {
      some.sparse.insertBack(it.row(), k) = it.value();
    }
  }
  some.sparse.finalize();
  return some;
}

// Z diag(v) Z', lower triangle.
Matrix outer_product(const ColumnSet& z, const Vector& v, Context& ctx) {
  const Index sparse = z.sparse.rows();
  const Index dense = z.dense.rows();
  Matrix product = Matrix::Zero(z.rows(), z.rows());
  const SparseColumns across = z.sparse.transpose();
  if (sparse > 0) {
    const SparseColumns scaled = z.sparse * v.asDiagonal();
    product.topLeftCorner(sparse, sparse) = dense_product(scaled, across);
  }
  if (dense > 0) {
    const Matrix half = z.dense * v.cwiseSqrt().asDiagonal();
    add_outer_product(half, product.bottomRightCorner(dense, dense), ctx);
    if (sparse > 0) product.bottomLeftCorner(dense, sparse) = (z.dense * v.asDiagonal()) * across;
  }
  return product;
}

Matrix gram_of(const ColumnSet& z) {
  Matrix gram = dense_product(z.sparse.transpose(), z.sparse);
  gram.noalias() += z.dense.transpose() * z.dense;
  gram.diagonal() += z.ridge;
  return gram;
}

Vector diagonal_of(const ColumnSet& z) {
  Vector squares = z.ridge;
  for (Index j = 0; j < z.size(); ++j) {
    if (z.sparse.rows() > 0) squares(j) += z.sparse.col(j).squaredNorm();
    squares(j) += z.dense.col(j).squaredNorm();
  }
  return squares;
}

// For more rows of W than of Z: everything goes through Z W, and the small matrix I + Z M^-1 Z' is factored.
class ColumnBlock : public QuadraticBlock {
 public:
  explicit ColumnBlock(ColumnSet columns) : z_(std::move(columns)), diagonal_(diagonal_of(z_)) {}

  Matrix product(const Matrix& v, Context& /*ctx*/) const override {
    Matrix result = backward(z_, forward(z_, v));
    result += z_.ridge.asDiagonal() * v;
    return result;
  }

  bool descend(double lambda, int passes, const Matrix& linear, Matrix& w, Matrix& g) const override {
    return column_descent(z_, diagonal_, lambda, passes, linear, w, g, grams_);
  }
  bool prefers_passes() const override { return true; }

  bool factor(const Vector& m, Context& ctx) override {
    inverse_ = (m + z_.ridge).cwiseInverse();
    Matrix small = outer_product(z_, inverse_, ctx);
    small.diagonal().array() += 1;
    return factor_.set(std::move(small), ctx);
  }

  void solve(Matrix& b, Context& ctx) const override {
    b = inverse_.asDiagonal() * b;
    const Fitted image = forward(z_, b);
    Matrix t(z_.rows(), b.cols());
    t << image.sparse.transpose(), image.dense;
    factor_.solve(t, ctx);
    const Fitted solved{.sparse = t.topRows(z_.sparse.rows()).transpose(), .dense = t.bottomRows(z_.dense.rows())};
    b -= inverse_.asDiagonal() * backward(z_, solved);
  }

 private:
  ColumnSet z_;
  Vector diagonal_;
  mutable BlockGrams grams_;  // made by the first descent: a Newton step needs none
  Vector inverse_;
  Factor factor_;
};

class ColumnForm : public QuadraticForm {
 public:
  explicit ColumnForm(ColumnSet columns) : z_(std::move(columns)), diagonal_(diagonal_of(z_)) {}

  const Vector& diagonal() const override { return diagonal_; }

  Matrix product(std::span<const Index> rows, const Matrix& w, std::span<const Index> wanted,
                 Context& ctx) const override {
    Matrix result = Matrix::Zero(std::ssize(wanted), w.cols());
    if (rows.empty()) return result;
    const Fitted fitted = forward(chosen(z_, rows), w);
    parallel_for(ctx, std::ssize(wanted), kRowsPerTask, [&](Index begin, Index end) {
      const auto some = wanted.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
      if (z_.sparse.rows() == 0 && some.back() - some.front() == end - begin - 1) {  // neighbours need no copy
        add_backward(z_.dense.middleCols(some.front(), end - begin), fitted, result.middleRows(begin, end - begin));
      } else {
        result.middleRows(begin, end - begin) = backward(chosen(z_, some), fitted);
      }
    });
    // The ridge is diagonal, so it concerns rows that are in both lists, which ascend.
    for (std::size_t k = 0, t = 0; k < rows.size() && t < wanted.size();) {
      if (rows[k] == wanted[t]) {
        const auto row = static_cast<Index>(t);
        result.row(row) += z_.ridge(rows[k]) * w.row(static_cast<Index>(k));
      }
      const Index row = rows[k];
      const Index target = wanted[t];
      if (row <= target) ++k;
      if (target <= row) ++t;
    }
    return result;
  }

  std::unique_ptr<QuadraticBlock> block(std::span<const Index> rows, Context& /*ctx*/) const override {
    ColumnSet some = chosen(z_, rows);
    if (some.size() <= some.rows()) return std::make_unique<GramBlock>(gram_of(some));
    return std::make_unique<ColumnBlock>(std::move(some));
  }

 private:
  ColumnSet z_;
  Vector diagonal_;
};

}  // namespace

std::unique_ptr<QuadraticForm> gram_form(Matrix gram) {
  return std::make_unique<GramForm>(std::move(gram));
}

std::unique_ptr<QuadraticForm> column_form(ColumnSet columns) {
  if (columns.sparse.cols() == 0) columns.sparse.resize(0, columns.size());
  if (columns.dense.cols() == 0) columns.dense.resize(0, columns.size());
  return std::make_unique<ColumnForm>(std::move(columns));
}

}  // namespace clade
