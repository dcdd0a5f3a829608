#include "select/recursive/system.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

#include "core/parallel.h"

namespace clade {
namespace {

// The features x features matrix, lower triangle.
void assemble(const Matrix& gram, const SystemTerms& terms, Matrix& a, Context& ctx) {
  constexpr Index kColumnsPerTask = 64;
  parallel_for(ctx, a.cols(), kColumnsPerTask, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      const Index below = a.rows() - j;
      a.col(j).tail(below) = terms.gram_factor * gram.col(j).tail(below);
      if (terms.full != nullptr) a.col(j).tail(below) += terms.full_factor * terms.full->col(j).tail(below);
      if (terms.sum) a.col(j).tail(below) += terms.sum->col(j).tail(below);
      a(j, j) += terms.diagonal(j);
    }
  });
  if (terms.low_rank.cols() > 0) add_outer_product(terms.low_rank, a, ctx);
  if (terms.removed.cols() > 0) add_outer_product(terms.removed, a, ctx, -1);
}

Error unsolvable(const NodeProblem& node) {
  return usage_error("the system of the node '" + node.name + "' cannot be solved",
                     "expected finite data and parameters that keep it regular");
}

Solution solve_by_features(const NodeProblem& node, const SystemTerms& terms, const Matrix& gram,
                           Workspaces& workspaces, Context& ctx) {
  const Matrix& labels = terms.own_right ? *terms.own_right : node.right;
  Solution solution{labels + terms.right};
  Matrix a = workspaces.take(gram.rows());
  assemble(gram, terms, a, ctx);
  if (cholesky(a, ctx)) {
    cholesky_solve(a, solution.weights, ctx);
  } else {
    solution.was_indefinite = true;
    assemble(gram, terms, a, ctx);
    a.triangularView<Eigen::StrictlyUpper>() = a.transpose();
    const Eigen::PartialPivLU<Eigen::Ref<Matrix>> factors(a);
    solution.weights = factors.solve(solution.weights).eval();
  }
  workspaces.give_back(std::move(a));
  if (!solution.weights.allFinite()) throw unsolvable(node);
  return solution;
}

// X as columns, dense or sparse, and its products with the rows scaled and moved as the terms say: S (X - 1 m').
struct Columns {
  const Matrix* dense = nullptr;
  const SparseColumns* sparse = nullptr;
  const Vector* scale = nullptr;
  const Vector* mean = nullptr;

  Index size() const { return dense != nullptr ? dense->cols() : sparse->cols(); }

  // S (X - 1 m') B
  Matrix transposed_times(const Matrix& b, Context& ctx) const {
    Matrix product = Matrix::Zero(size(), b.cols());
    if (sparse != nullptr) {
      product = sparse->transpose() * b;
    } else {
      add_transposed_product(*dense, b, product, ctx);
    }
    if (mean != nullptr) product.rowwise() -= mean->transpose() * b;
    if (scale != nullptr) product = scale->asDiagonal() * product;
    return product;
  }
  // (X' - m 1') S B
  Matrix times(const Matrix& b, Context& ctx) const {
    const Matrix scaled = scale != nullptr ? Matrix(scale->asDiagonal() * b) : b;
    Matrix product = Matrix::Zero(dense != nullptr ? dense->rows() : sparse->rows(), b.cols());
    if (sparse != nullptr) {
      product = *sparse * scaled;
    } else {
      add_product(*dense, scaled, product, ctx);
    }
    if (mean != nullptr) product.noalias() -= *mean * scaled.colwise().sum();
    return product;
  }
  // S (X - 1 m') diag(v) (X' - m 1') S, lower triangle
  Matrix weighted_product(const Vector& v, Context& ctx) const {
    Matrix product = Matrix::Zero(size(), size());
    if (sparse != nullptr) {
      const SparseColumns scaled = v.asDiagonal() * *sparse;
      product = Matrix(sparse->transpose() * scaled);
    } else {
      add_inner_product(scaled_rows(v.cwiseSqrt(), *dense, ctx), product, ctx);
    }
    if (mean != nullptr) {
      const Matrix moved = v.asDiagonal() * *mean;
      const Vector cross =
          (sparse != nullptr ? Matrix(sparse->transpose() * moved) : Matrix(dense->transpose() * moved)).col(0);
      const double square = mean->dot(moved.col(0));
      for (Index c = 0; c < size(); ++c) {
        product.col(c).array() += square - cross(c);
        product.col(c) -= cross;
      }
    }
    if (scale != nullptr) product = scale->asDiagonal() * product * scale->asDiagonal();
    return product;
  }
};

Columns columns_of(const NodeProblem& node, const SystemTerms& terms) {
  Columns columns{.scale = terms.row_scale ? &*terms.row_scale : nullptr,
                  .mean = terms.row_mean ? &*terms.row_mean : nullptr};
  if (node.sparse.cols() > 0) {
    columns.sparse = &node.sparse;
  } else {
    columns.dense = &node.dense;
  }
  return columns;
}

Solution solve_by_samples(const NodeProblem& node, const SystemTerms& terms, Context& ctx) {
  const Index n = node.samples();
  const Index rank = terms.low_rank.cols();
  const double root = std::sqrt(terms.gram_factor);
  const Vector inverse = terms.diagonal.cwiseInverse();
  const Matrix scaled_right = inverse.asDiagonal() * terms.right;
  const Columns x = columns_of(node, terms);

  // K = I + Z M^-1 Z', lower triangle, and the right-hand side of the small system.
  Matrix k = Matrix::Identity(n + rank, n + rank);
  Matrix t = Matrix::Zero(n + rank, terms.right.cols());
  if (n > 0) {
    k.topLeftCorner(n, n).triangularView<Eigen::Lower>() += terms.gram_factor * x.weighted_product(inverse, ctx);
    const Matrix targets = terms.own_targets ? *terms.own_targets : label_matrix(node, terms.right.cols());
    t.topRows(n) = targets / root - root * x.transposed_times(scaled_right, ctx);
  }
  if (rank > 0) {
    const Matrix scaled = inverse.asDiagonal() * terms.low_rank;
    add_transposed_product(terms.low_rank, scaled, k.bottomRightCorner(rank, rank), ctx);
    t.bottomRows(rank) = -terms.low_rank.transpose() * scaled_right;
    if (n > 0) k.bottomLeftCorner(rank, n) = root * x.transposed_times(scaled, ctx).transpose();
  }
  if (!cholesky(k, ctx)) throw unsolvable(node);
  cholesky_solve(k, t, ctx);

  Matrix sum = terms.right;
  if (n > 0) sum += root * x.times(t.topRows(n), ctx);
  if (rank > 0) sum.noalias() += terms.low_rank * t.bottomRows(rank);
  Solution solution{inverse.asDiagonal() * sum};
  if (!solution.weights.allFinite()) throw unsolvable(node);
  return solution;
}

}  // namespace

double smallest_eigenvalue(const NodeProblem& node, const SystemTerms& terms, Context& ctx) {
  const Matrix gram = gram_of(node, terms.diagonal.size(), ctx);
  Matrix a(gram.rows(), gram.cols());
  assemble(gram, terms, a, ctx);
  return Eigen::SelfAdjointEigenSolver<Matrix>(a, Eigen::EigenvaluesOnly).eigenvalues()(0);
}

Matrix Workspaces::take(Index size) {
  const std::scoped_lock lock(mutex_);
  if (free_.empty()) return Matrix(size, size);
  Matrix matrix = std::move(free_.back());
  free_.pop_back();
  matrix.resize(size, size);
  return matrix;
}

void Workspaces::give_back(Matrix&& matrix) {
  const std::scoped_lock lock(mutex_);
  free_.push_back(std::move(matrix));
}

Solution solve_system(const NodeProblem& node, const SystemTerms& terms, Workspaces& workspaces, Context& ctx) {
  const auto by_features = [&](const Matrix& gram) { return solve_by_features(node, terms, gram, workspaces, ctx); };
  if (terms.own_gram) return by_features(*terms.own_gram);
  if (node.is_tall) return by_features(node.gram);
  if (terms.full != nullptr || terms.sum) return by_features(gram_of(node, terms.diagonal.size(), ctx));
  return solve_by_samples(node, terms, ctx);
}

}  // namespace clade
