#include "select/recursive/system.h"

#include <cmath>

#include "core/parallel.h"
#include "math/blas/blas.h"
#include "math/decompositions.h"
#include "math/symmetric_product.h"

namespace clade {

namespace {

constexpr Index kColumnsPerTask = 64;  // of a system

int as_int(Index value) {
  return static_cast<int>(value);
}

// Sets columns [begin, end) of the system, from row `begin` on; the part above the diagonal becomes arbitrary.
void assemble_columns(const Matrix& gram, const SystemTerms& terms, Index begin, Index end, MatrixRef columns) {
  const Index n = gram.rows();
  for (Index j = begin; j < end; ++j) {
    auto own = columns.col(j - begin).tail(n - j);
    own = terms.gram_factor * gram.col(j).tail(n - j);
    if (terms.full != nullptr) own += terms.full_factor * terms.full->col(j).tail(n - j);
    if (terms.sum) own += terms.sum->col(j).tail(n - j);
    own(0) += terms.diagonal(j);
    columns.col(j - begin).head(j - begin).setZero();  // where the products will write
  }
  const auto add_product = [&](const Matrix& u, double factor) {
    if (u.cols() == 0) return;
    blas::gemm(false, true, as_int(n - begin), as_int(end - begin), as_int(u.cols()), factor, u.data() + begin,
               as_int(n), u.data() + begin, as_int(n), 1, columns.data(), as_int(columns.outerStride()));
  };
  add_product(terms.low_rank, 1);
  add_product(terms.removed, -1);
}

Vector diagonal_of(const Matrix& gram, const SystemTerms& terms) {
  Vector diagonal = terms.gram_factor * gram.diagonal() + terms.diagonal;
  if (terms.full != nullptr) diagonal += terms.full_factor * terms.full->diagonal();
  if (terms.sum) diagonal += terms.sum->diagonal();
  if (terms.low_rank.cols() > 0) diagonal += terms.low_rank.rowwise().squaredNorm();
  if (terms.removed.cols() > 0) diagonal -= terms.removed.rowwise().squaredNorm();
  return diagonal;
}

// The matrix of a system without F, times X.
Matrix system_times(const Matrix& gram, const SystemTerms& terms, const Matrix& x, Context& ctx) {
  Matrix product = terms.gram_factor * symmetric_product(gram, x, ctx) + terms.diagonal.asDiagonal() * x;
  if (terms.low_rank.cols() == 0) return product;
  Matrix share = Matrix::Zero(terms.low_rank.cols(), x.cols());
  add_transposed_product(terms.low_rank, x, share, ctx);
  add_product(terms.low_rank, share, product, ctx);
  return product;
}

}  // namespace

void assemble_system(const Matrix& gram, const SystemTerms& terms, MatrixRef a, Context& ctx) {
  parallel_for(ctx, a.cols(), kColumnsPerTask, [&](Index begin, Index end) {
    assemble_columns(gram, terms, begin, end, a.block(begin, begin, a.rows() - begin, end - begin));
  });
}

namespace {

// From a factor in single precision; false if that fails. The right-hand side becomes the solution.
bool solve_refined(const SystemTerms& terms, const Matrix& gram, Matrix& b, Workspaces& workspaces, Context& ctx) {
  Workspaces::Factor factor(workspaces);
  const Vector diagonal = diagonal_of(gram, terms);
  if (terms.full == nullptr && !terms.sum) {
    const auto columns = [&](Index begin, Index end, MatrixRef some) {
      assemble_columns(gram, terms, begin, end, some);
    };
    const auto multiply = [&](const Matrix& x) { return system_times(gram, terms, x, ctx); };
    return factor->set(diagonal, columns, ctx) && factor->solve(multiply, b, ctx);
  }
  // Products with one matrix read less than those with two.
  Workspaces::Square workspace(workspaces, gram.rows());
  auto a = workspace.matrix();
  assemble_system(gram, terms, a, ctx);
  const auto columns = [&](Index begin, Index /*end*/, MatrixRef some) {
    some = a.block(begin, begin, some.rows(), some.cols());
  };
  return factor->set(diagonal, columns, ctx) &&
         factor->solve([&](const Matrix& x) { return symmetric_product(a, x, ctx); }, b, ctx);
}

// `a` holds the matrix, and is destroyed; the right-hand side becomes the solution.
void solve_in_double(const NodeProblem& node, const SystemTerms& terms, const Matrix& gram, MatrixRef a,
                     Solution& solution, Context& ctx) {
  if (cholesky(a, ctx)) {
    cholesky_solve(a, solution.weights, ctx);
    if (!terms.again) return;
    while (const std::optional<Matrix> data = terms.again(solution.weights)) {
      solution.weights = *data + terms.right;
      cholesky_solve(a, solution.weights, ctx);
    }
    return;
  }
  solution.was_indefinite = true;
  assemble_system(gram, terms, a, ctx);
  a.triangularView<Eigen::StrictlyUpper>() = a.transpose();
  if (!a.allFinite()) throw unsolvable(node);
  solve_by_lu(a, solution.weights);
}

Solution solve_by_features(const NodeProblem& node, const SystemTerms& terms, const Matrix& gram,
                           Workspaces& workspaces, Context& ctx) {
  Solution solution{(terms.own_right ? *terms.own_right : node.right) + terms.right};
  // Solving again and again would have to be refined each time.
  const bool is_tried = gram.rows() >= RefinedFactor::kFewestRows && !terms.in_double && !terms.again;
  const bool is_refined = is_tried && solve_refined(terms, gram, solution.weights, workspaces, ctx);
  if (!is_refined) {
    solution.needed_double = is_tried;
    Workspaces::Square workspace(workspaces, gram.rows());
    auto a = workspace.matrix();
    assemble_system(gram, terms, a, ctx);
    solve_in_double(node, terms, gram, a, solution, ctx);
  }
  if (!solution.weights.allFinite()) throw unsolvable(node);
  return solution;
}

// X as columns, dense or sparse, and products with its rows scaled and shifted as the terms say: S (X - 1 m').
struct Columns {
  const Matrix* dense = nullptr;
  const SparseColumns* sparse = nullptr;
  const SparseColumns* by_feature = nullptr;
  const Vector* scale = nullptr;
  const Vector* mean = nullptr;

  Index size() const { return dense != nullptr ? dense->cols() : sparse->cols(); }

  // S (X - 1 m') B
  Matrix transposed_times(const RowMatrix& b, Context& ctx) const {
    Matrix product;
    if (sparse != nullptr) {
      product = transposed_product(*sparse, b, ctx);
    } else {
      product.setZero(size(), b.cols());
      add_transposed_product(*dense, Matrix(b), product, ctx);
    }
    if (mean != nullptr) product.rowwise() -= mean->transpose() * b;
    if (scale != nullptr) product = scale->asDiagonal() * product;
    return product;
  }
  // (X' - m 1') S B
  Matrix times(const Matrix& b, Context& ctx) const {
    const Matrix scaled = scale != nullptr ? Matrix(scale->asDiagonal() * b) : b;
    Matrix product;
    if (sparse != nullptr) {
      product = transposed_product(*by_feature, scaled, ctx);
    } else {
      product.setZero(dense->rows(), b.cols());
      add_product(*dense, scaled, product, ctx);
    }
    if (mean != nullptr) product.noalias() -= *mean * scaled.colwise().sum();
    return product;
  }
  // Sets the lower triangle of the product to S (X - 1 m') diag(v) (X' - m 1') S.
  void weighted_product(const Vector& v, MatrixRef product, Context& ctx) const {
    product.triangularView<Eigen::Lower>().setZero();
    if (sparse != nullptr) {
      add_weighted_square(*sparse, *by_feature, v, product, ctx);
    } else {
      add_inner_product(scaled_rows(v.cwiseSqrt(), *dense, ctx), product, ctx);
    }
    if (mean != nullptr) {
      const Matrix moved = v.asDiagonal() * *mean;
      const Vector cross =
          (sparse != nullptr ? Matrix(sparse->transpose() * moved) : Matrix(dense->transpose() * moved)).col(0);
      const double square = mean->dot(moved.col(0));
      for (Index c = 0; c < size(); ++c) {
        const Index below = size() - c;
        product.col(c).tail(below).array() += square - cross(c) - cross.tail(below).array();
      }
    }
    if (scale != nullptr) {
      for (Index c = 0; c < size(); ++c) {
        const Index below = size() - c;
        product.col(c).tail(below).array() *= (*scale)(c)*scale->tail(below).array();
      }
    }
  }
};

Columns columns_of(const NodeProblem& node, const SystemTerms& terms) {
  Columns columns{.scale = terms.row_scale ? &*terms.row_scale : nullptr,
                  .mean = terms.row_mean ? &*terms.row_mean : nullptr};
  if (node.sparse.cols() > 0) {
    columns.sparse = &node.sparse;
    columns.by_feature = &node.by_feature;
  } else {
    columns.dense = &node.dense;
  }
  return columns;
}

// U' diag(v) [U R], and diag(v) U by rows, in one pass over U.
Matrix scaled_square(const Matrix& u, const Vector& v, const Matrix& r, RowMatrix& scaled, Context& ctx) {
  constexpr Index kRowsPerTask = 2048;
  return parallel_reduce(
      ctx, u.rows(), kRowsPerTask, Matrix(Matrix::Zero(u.cols(), u.cols() + r.cols())),
      [&](Index begin, Index end) {
        const Matrix block = v.segment(begin, end - begin).asDiagonal() * u.middleRows(begin, end - begin);
        scaled.middleRows(begin, end - begin) = block;
        Matrix part(u.cols(), u.cols() + r.cols());
        part.leftCols(u.cols()).noalias() = block.transpose() * u.middleRows(begin, end - begin);
        part.rightCols(r.cols()).noalias() = block.transpose() * r.middleRows(begin, end - begin);
        return part;
      },
      [](Matrix& total, const Matrix& part) { total += part; });
}

Solution solve_by_samples(const NodeProblem& node, const SystemTerms& terms, Workspaces& workspaces, Context& ctx) {
  const Index n = node.samples();
  const Index rank = terms.low_rank.cols();
  const double root = std::sqrt(terms.gram_factor);
  const Vector inverse = terms.diagonal.cwiseInverse();
  const RowMatrix scaled_right = inverse.asDiagonal() * terms.right;
  const Columns x = columns_of(node, terms);

  // K = I + Z M^-1 Z', lower triangle, and the right-hand side of the small system without the targets.
  Workspaces::Square workspace(workspaces, n + rank);
  auto k = workspace.matrix();
  Matrix t = Matrix::Zero(n + rank, terms.right.cols());
  if (n > 0) {
    x.weighted_product(terms.gram_factor * inverse, k.topLeftCorner(n, n), ctx);
    t.topRows(n) = -root * x.transposed_times(scaled_right, ctx);
  }
  if (rank > 0) {
    RowMatrix scaled(terms.low_rank.rows(), rank);
    const Matrix products = scaled_square(terms.low_rank, inverse, terms.right, scaled, ctx);
    k.bottomRightCorner(rank, rank) = products.leftCols(rank);
    t.bottomRows(rank) = -products.rightCols(terms.right.cols());
    if (n > 0) k.bottomLeftCorner(rank, n) = root * x.transposed_times(scaled, ctx).transpose();
  }
  k.diagonal().array() += 1;
  if (!cholesky(k, ctx)) throw unsolvable(node);

  const auto weights_for = [&](const Matrix& targets) {
    Matrix solved = t;
    if (n > 0) solved.topRows(n) += targets / root;
    cholesky_solve(k, solved, ctx);
    Matrix sum = terms.right;
    if (n > 0) sum += root * x.times(solved.topRows(n), ctx);
    if (rank > 0) add_product(terms.low_rank, solved.bottomRows(rank), sum, ctx);
    return Matrix(inverse.asDiagonal() * sum);
  };
  Solution solution{weights_for(terms.own_targets ? *terms.own_targets : label_matrix(node, terms.right.cols()))};
  if (terms.again) {
    while (const std::optional<Matrix> targets = terms.again(solution.weights))
      solution.weights = weights_for(*targets);
  }
  if (!solution.weights.allFinite()) throw unsolvable(node);
  return solution;
}

}  // namespace

Error unsolvable(const NodeProblem& node) {
  return usage_error("the system of the node '" + node.name + "' cannot be solved",
                     "expected data and parameters that keep it finite and regular");
}

double smallest_eigenvalue(const NodeProblem& node, const SystemTerms& terms, Context& ctx) {
  const Matrix gram = gram_of(node, terms.diagonal.size(), ctx);
  Matrix a(gram.rows(), gram.cols());
  assemble_system(gram, terms, a, ctx);
  return symmetric_eigenvalues(a)(0);
}

Workspaces::Square::Square(Workspaces& owner, Index size) : owner_(owner), size_(size) {
  {
    const std::scoped_lock lock(owner_.mutex_);
    if (!owner_.free_.empty()) {
      numbers_ = std::move(owner_.free_.back());
      owner_.free_.pop_back();
    }
  }
  if (numbers_.size() < size * size) numbers_.resize(size * size);
}

Workspaces::Square::~Square() {
  const std::scoped_lock lock(owner_.mutex_);
  owner_.free_.push_back(std::move(numbers_));
}

Workspaces::Factor::Factor(Workspaces& owner) : owner_(owner) {
  const std::scoped_lock lock(owner_.mutex_);
  if (owner_.free_factors_.empty()) return;
  factor_ = std::move(owner_.free_factors_.back());
  owner_.free_factors_.pop_back();
}

Workspaces::Factor::~Factor() {
  const std::scoped_lock lock(owner_.mutex_);
  owner_.free_factors_.push_back(std::move(factor_));
}

Solution solve_system(const NodeProblem& node, const SystemTerms& terms, Workspaces& workspaces, Context& ctx) {
  const auto by_features = [&](const Matrix& gram) { return solve_by_features(node, terms, gram, workspaces, ctx); };
  if (terms.own_gram) return by_features(*terms.own_gram);
  if (node.is_tall) return by_features(node.gram);
  if (terms.full != nullptr || terms.sum) return by_features(gram_of(node, terms.diagonal.size(), ctx));
  return solve_by_samples(node, terms, workspaces, ctx);
}

}  // namespace clade
