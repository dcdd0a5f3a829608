#include "math/column_descent.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "math/blas/blas.h"

namespace clade {
namespace {

constexpr Index kBlock = 64;         // rows of W whose products are taken together
constexpr std::size_t kMemory = 10;  // differences of iterates that are combined

int as_int(Index value) {
  return static_cast<int>(value);
}

constexpr Index kOctet = 8;  // columns of W whose numbers are multiplied together
using Octet = Eigen::Array<double, kOctet, 1>;
constexpr std::size_t kColumnsAtOnce = 8;
constexpr std::size_t kSamplesAtOnce = 8;

// Z W with the columns of W one after another for every sample, and zeros up to a multiple of kOctet.
Matrix by_samples(const Matrix& fitted) {
  const Index padded = (fitted.cols() + kOctet - 1) / kOctet * kOctet;
  Matrix result = Matrix::Zero(padded, fitted.rows());
  result.topRows(fitted.cols()) = fitted.transpose();
  return result;
}

// Eight columns of W in the products of some columns of Z, whose addresses are given, with Z W by samples.
template <std::size_t... k>
void multiply_octet(const std::array<const double*, kColumnsAtOnce>& z, const Matrix& fitted, Index octet,
                    Matrix& products, Index to, std::index_sequence<k...> /*all*/) {
  std::array<Octet, kColumnsAtOnce> sums = {(static_cast<void>(k), Octet::Zero())...};
  const double* values = fitted.data() + octet;
  for (Index sample = 0; sample < fitted.cols(); ++sample, values += fitted.rows()) {
    const Eigen::Map<const Octet> own(values);
    ((sums[k] += z[k][sample] * own), ...);
  }
  ((Eigen::Map<Octet>(&products(octet, to + static_cast<Index>(k))) = sums[k]), ...);
}

// Adds the changes times some columns of Z to eight columns of W in a few samples of Z W.
template <std::size_t... k>
void add_octet(std::span<const double* const> z, const Matrix& changes, Index octet, Index sample, Matrix& fitted,
               std::index_sequence<k...> /*all*/) {
  std::array<Octet, sizeof...(k)> sums = {
      Octet(Eigen::Map<const Octet>(&fitted(octet, sample + static_cast<Index>(k))))...};
  const double* values = changes.data() + octet;
  for (const double* const column : z) {
    const Eigen::Map<const Octet> own(values);
    ((sums[k] += column[sample + static_cast<Index>(k)] * own), ...);
    values += changes.rows();
  }
  ((Eigen::Map<Octet>(&fitted(octet, sample + static_cast<Index>(k))) = sums[k]), ...);
}

// Sets as many columns of the products as there are columns in Z. For so few columns of W, a library for products of
// matrices of any shape spends a third of its time on rearranging them.
void multiply_columns(const ConstMatrixRef& z, const Matrix& fitted, Matrix& products) {
  for (Index first = 0; first < z.cols(); first += kColumnsAtOnce) {
    std::array<const double*, kColumnsAtOnce> columns;
    for (std::size_t k = 0; k < kColumnsAtOnce; ++k) {
      columns[k] = z.col(std::min(first + static_cast<Index>(k), z.cols() - 1)).data();
    }
    for (Index octet = 0; octet < fitted.rows(); octet += kOctet) {
      multiply_octet(columns, fitted, octet, products, first, std::make_index_sequence<kColumnsAtOnce>());
    }
  }
}

// Adds the sum of the columns of Z, each times its column of the changes.
void add_changes(std::span<const double* const> z, const Matrix& changes, Matrix& fitted) {
  const Index rest = fitted.cols() % static_cast<Index>(kSamplesAtOnce);
  for (Index octet = 0; octet < fitted.rows(); octet += kOctet) {
    Index sample = 0;
    for (; sample < fitted.cols() - rest; sample += kSamplesAtOnce) {
      add_octet(z, changes, octet, sample, fitted, std::make_index_sequence<kSamplesAtOnce>());
    }
    for (; sample < fitted.cols(); ++sample) {
      add_octet(z, changes, octet, sample, fitted, std::make_index_sequence<1>());
    }
  }
}

class Descent {
 public:
  Descent(const ColumnSet& z, const Vector& diagonal, double lambda, const Matrix& linear, const Matrix& w,
          BlockGrams& grams)
      : z_(z),
        diagonal_(diagonal),
        lambda_(lambda),
        linear_(linear.transpose()),
        w_(w.transpose()),
        fitted_(forward(z, w)),
        is_dense_(z.sparse.rows() == 0),
        grams_(grams) {
    if (!is_dense_) return;
    fitted_.dense = by_samples(fitted_.dense);
    if (grams_.empty()) find_block_grams();
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
    Fitted fitted = fitted_;
    if (is_dense_) fitted.dense = fitted_.dense.topRows(w_.rows()).transpose();
    Matrix g = linear - backward(z_, fitted);
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
    const Index width = w_.rows();
    Matrix products(fitted_.dense.rows(), kBlock);  // transposed
    Matrix changes = Matrix::Zero(fitted_.dense.rows(), kBlock);
    std::vector<const double*> changed;
    for (Index begin = 0; begin < z_.size(); begin += kBlock) {
      const Index count = std::min(kBlock, z_.size() - begin);
      const Matrix& gram = grams_[static_cast<std::size_t>(begin / kBlock)];
      multiply_columns(z_.dense.middleCols(begin, count), fitted_.dense, products);
      changed.clear();
      for (Index k = 0; k < count; ++k) {
        if (!move_row(begin + k, products.col(k).head(width))) return false;
        if (u_.isZero(0)) continue;
        auto change = changes.col(std::ssize(changed)).head(width);
        change = u_.transpose();
        changed.push_back(z_.dense.col(begin + k).data());
        for (Index later = k + 1; later < count; ++later) products.col(later).head(width) += gram(later, k) * change;
      }
      add_changes(changed, changes, fitted_.dense);
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
  Fitted fitted_;  // dense: by samples, if all is dense
  bool is_dense_;
  BlockGrams& grams_;
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
                    Matrix& w, Matrix& g, BlockGrams& grams) {
  Descent descent(z, diagonal, lambda, linear, w, grams);
  const bool has_minimum = descent.run(passes);
  w = descent.weights();
  if (!has_minimum) return false;
  g = descent.gradient(linear, w);
  return true;
}

}  // namespace clade
