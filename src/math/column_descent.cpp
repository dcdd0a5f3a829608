#include "math/column_descent.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "math/blas/blas.h"

namespace clade {
namespace {

constexpr Index kBlock = 64;         // rows of W whose products are taken together
constexpr std::size_t kMemory = 10;  // differences of iterates that are combined

int as_int(Index value) {
  return static_cast<int>(value);
}

class Descent {
 public:
  Descent(const ColumnSet& z, const Vector& diagonal, double lambda, const Matrix& linear, const Matrix& w)
      : z_(z),
        diagonal_(diagonal),
        lambda_(lambda),
        linear_(linear.transpose()),
        w_(w.transpose()),
        fitted_(forward(z, w)),
        is_dense_(z.sparse.rows() == 0) {
    if (is_dense_) find_block_grams();
  }

  bool run(int passes) {
    if (passes >= static_cast<int>(kMemory)) remember();
    for (int pass = 0; pass < passes; ++pass) {
      if (!(is_dense_ ? pass_by_blocks() : pass_by_rows())) return false;
      if (iterates_.empty()) continue;
      remember();
      if (iterates_.size() <= kMemory) continue;
      extrapolate();
      iterates_.clear();
      remember();
    }
    return true;
  }

  Matrix weights() const { return w_.transpose(); }

  Matrix gradient(const Matrix& linear, const Matrix& w) const {
    Matrix g = linear - backward(z_, fitted_);
    g -= z_.ridge.asDiagonal() * w;
    return g;
  }

 private:
  struct Iterate {
    Matrix w;
    Fitted fitted;
  };

  void find_block_grams() {
    for (Index begin = 0; begin < z_.size(); begin += kBlock) {
      const Index count = std::min(kBlock, z_.size() - begin);
      Matrix gram = Matrix::Zero(count, count);
      blas::syrk(true, as_int(count), as_int(z_.dense.rows()), 1, z_.dense.col(begin).data(),
                 as_int(z_.dense.outerStride()), 0, gram.data(), as_int(count));
      grams_.push_back(std::move(gram));
    }
  }

  // Moves row j to its minimum, given Z_j' Z W; the change is left in u_.
  bool move_row(Index j, const Eigen::Ref<const Vector>& product) {
    u_ = linear_.col(j) + (diagonal_(j) - z_.ridge(j)) * w_.col(j) - product;
    if (!shrink_row(diagonal_(j), lambda_, u_)) return false;
    u_ -= w_.col(j).transpose();
    w_.col(j) += u_.transpose();
    return true;
  }

  bool pass_by_blocks() {
    const Index rows = z_.dense.rows();
    const Index width = w_.rows();
    Matrix products(width, kBlock);  // transposed
    Matrix changes(width, kBlock);
    for (Index begin = 0; begin < z_.size(); begin += kBlock) {
      const Index count = std::min(kBlock, z_.size() - begin);
      const Matrix& gram = grams_[static_cast<std::size_t>(begin / kBlock)];
      blas::gemm(true, false, as_int(width), as_int(count), as_int(rows), 1, fitted_.dense.data(), as_int(rows),
                 z_.dense.col(begin).data(), as_int(rows), 0, products.data(), as_int(width));
      bool has_changed = false;
      for (Index k = 0; k < count; ++k) {
        if (!move_row(begin + k, products.col(k))) return false;
        changes.col(k) = u_.transpose();
        if (u_.isZero(0)) continue;
        has_changed = true;
        for (Index later = k + 1; later < count; ++later) products.col(later) += gram(later, k) * changes.col(k);
      }
      if (!has_changed) continue;
      blas::gemm(false, true, as_int(rows), as_int(width), as_int(count), 1, z_.dense.col(begin).data(), as_int(rows),
                 changes.data(), as_int(width), 1, fitted_.dense.data(), as_int(rows));
    }
    return true;
  }

  bool pass_by_rows() {
    Vector product(w_.rows());
    for (Index j = 0; j < z_.size(); ++j) {
      product.noalias() = fitted_.dense.transpose() * z_.dense.col(j);
      for (SparseColumns::InnerIterator it(z_.sparse, j); it; ++it)
        product += it.value() * fitted_.sparse.col(it.row());
      if (!move_row(j, product)) return false;
      if (u_.isZero(0)) continue;
      fitted_.dense.noalias() += z_.dense.col(j) * u_;
      for (SparseColumns::InnerIterator it(z_.sparse, j); it; ++it) {
        fitted_.sparse.col(it.row()) += it.value() * u_.transpose();
      }
    }
    return true;
  }

  void remember() { iterates_.push_back({w_, fitted_}); }

  // ||Z W||^2 + <W, ridge W> - 2 <W, L> + lambda ||W||_{2,1}
  double objective(const Matrix& w, const Fitted& fitted) const {
    double sum = fitted.sparse.squaredNorm() + fitted.dense.squaredNorm() - 2 * w.cwiseProduct(linear_).sum();
    for (Index j = 0; j < w.cols(); ++j) {
      const double square = w.col(j).squaredNorm();
      sum += z_.ridge(j) * square + lambda_ * std::sqrt(square);
    }
    return sum;
  }

  // Of all affine combinations of the iterates, the one whose next step would be the smallest if steps were linear.
  void extrapolate() {
    Eigen::Matrix<double, kMemory, kMemory> products;
    const auto step = [&](std::size_t k) { return iterates_[k + 1].w - iterates_[k].w; };
    for (std::size_t a = 0; a < kMemory; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        products(static_cast<Index>(a), static_cast<Index>(b)) = step(a).cwiseProduct(step(b)).sum();
      }
    }
    constexpr double kRegular = 1e-12;  // of the largest step: steps may be dependent
    products.diagonal().array() += kRegular * products.diagonal().maxCoeff();
    Matrix factor = products;
    Matrix shares = Matrix::Ones(kMemory, 1);
    if (!blas::cholesky(kMemory, factor.data(), kMemory)) return;
    blas::cholesky_solve(kMemory, 1, factor.data(), kMemory, shares.data(), kMemory);
    shares /= shares.sum();
    if (!shares.allFinite()) return;
    Iterate point{Matrix::Zero(w_.rows(), w_.cols()),
                  {Matrix::Zero(fitted_.sparse.rows(), fitted_.sparse.cols()),
                   Matrix::Zero(fitted_.dense.rows(), fitted_.dense.cols())}};
    for (std::size_t k = 0; k < kMemory; ++k) {
      const double share = shares(static_cast<Index>(k), 0);
      point.w += share * iterates_[k + 1].w;
      point.fitted.sparse += share * iterates_[k + 1].fitted.sparse;
      point.fitted.dense += share * iterates_[k + 1].fitted.dense;
    }
    if (!(objective(point.w, point.fitted) < objective(w_, fitted_))) return;
    w_ = std::move(point.w);
    fitted_ = std::move(point.fitted);
  }

  const ColumnSet& z_;
  const Vector& diagonal_;
  double lambda_;
  Matrix linear_;  // transposed, as W: a row is contiguous
  Matrix w_;
  Fitted fitted_;
  bool is_dense_;
  std::vector<Matrix> grams_;  // of blocks of columns, lower triangles
  std::vector<Iterate> iterates_;
  Eigen::RowVectorXd u_;
};

}  // namespace

bool shrink_row(double h, double lambda, Eigen::RowVectorXd& u) {
  const double norm = u.norm();
  if (norm <= lambda / 2) {
    u.setZero();
    return true;
  }
  if (h <= 0) return false;
  u *= (1 - lambda / (2 * norm)) / h;
  return true;
}

Fitted forward(const ColumnSet& z, const Matrix& w) {
  Fitted fitted{{}, Matrix::Zero(z.dense.rows(), w.cols())};
  const Matrix sparse = z.sparse * w;
  fitted.sparse = sparse.transpose();
  if (z.dense.size() == 0) return fitted;
  blas::gemm(false, false, as_int(z.dense.rows()), as_int(w.cols()), as_int(w.rows()), 1, z.dense.data(),
             as_int(z.dense.rows()), w.data(), as_int(w.rows()), 0, fitted.dense.data(), as_int(z.dense.rows()));
  return fitted;
}

Matrix backward(const ColumnSet& z, const Fitted& f) {
  const Matrix rows = f.sparse.transpose();
  Matrix result = z.sparse.transpose() * rows;
  add_backward(z.dense, f, result);
  return result;
}

void add_backward(const ConstMatrixRef& dense, const Fitted& f, MatrixRef result) {
  if (dense.size() == 0) return;
  blas::gemm(true, false, as_int(dense.cols()), as_int(f.dense.cols()), as_int(dense.rows()), 1, dense.data(),
             as_int(dense.outerStride()), f.dense.data(), as_int(f.dense.rows()), 1, result.data(),
             as_int(result.outerStride()));
}

bool column_descent(const ColumnSet& z, const Vector& diagonal, double lambda, int passes, const Matrix& linear,
                    Matrix& w, Matrix& g) {
  Descent descent(z, diagonal, lambda, linear, w);
  const bool has_minimum = descent.run(passes);
  w = descent.weights();
  if (!has_minimum) return false;
  g = descent.gradient(linear, w);
  return true;
}

}  // namespace clade
