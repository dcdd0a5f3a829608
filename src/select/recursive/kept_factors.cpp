#include "select/recursive/kept_factors.h"

#include "core/check.h"
#include "core/parallel.h"
#include "math/blas/blas.h"

namespace clade {
namespace {

// Solving for a column of U takes two passes over the factor of a tall node.
constexpr Index kRowsPerColumn = 64;
// Above it, more than half of the digits could be lost in a difference.
constexpr double kLargestShare = 1e6;
constexpr Index kFeaturesPerTask = 1024;

void factor_wide(const NodeProblem& node, const Vector& inverse, Matrix& lower, Context& ctx) {
  lower.setZero(node.samples(), node.samples());
  if (node.samples() == 0) return;
  if (node.sparse.cols() > 0) {
    add_weighted_square(node.sparse, node.by_feature, inverse, lower, ctx);
  } else {
    add_inner_product(scaled_rows(inverse.cwiseSqrt(), node.dense, ctx), lower, ctx);
  }
  lower.diagonal().array() += 1;
}

// M^-1 [R U] by rows, R only if there is one, and U'M^-1 [R U].
struct Borders {
  RowMatrix scaled;
  Matrix square;
};
Borders borders_of(const SystemTerms& terms, bool has_right, const Vector& inverse, Context& ctx) {
  const Index width = has_right ? terms.right.cols() : 0;
  const Index rank = terms.low_rank.cols();
  Borders borders;
  borders.scaled.resize(terms.right.rows(), width + rank);
  borders.square = parallel_reduce(
      ctx, terms.right.rows(), kFeaturesPerTask, Matrix(Matrix::Zero(rank, width + rank)),
      [&](Index begin, Index end) {
        const Index rows = end - begin;
        auto scaled = borders.scaled.middleRows(begin, rows);
        const auto some = inverse.segment(begin, rows).asDiagonal();
        if (has_right) scaled.leftCols(width) = some * terms.right.middleRows(begin, rows);
        if (rank == 0) return Matrix();
        const auto own = terms.low_rank.middleRows(begin, rows);
        scaled.rightCols(rank) = some * own;
        return Matrix(own.transpose() * scaled);
      },
      [](Matrix& total, const Matrix& part) {
        if (part.size() > 0) total += part;
      });
  return borders;
}

// X B, where B is given by rows.
Matrix forward(const NodeProblem& node, const RowMatrix& b, Context& ctx) {
  if (node.sparse.cols() > 0) return transposed_product(node.sparse, b, ctx);
  Matrix product = Matrix::Zero(node.samples(), b.cols());
  add_transposed_product(node.dense, Matrix(b), product, ctx);
  return product;
}

// M^-1 (R + X'T + U S).
Matrix weights_of(const NodeProblem& node, const SystemTerms& terms, const Vector& inverse, const Matrix& t,
                  const Matrix& s, Context& ctx) {
  const RowMatrix rows = t;
  Matrix weights(terms.right.rows(), terms.right.cols());
  const auto as_int = [](Index value) { return static_cast<int>(value); };
  parallel_for(ctx, weights.rows(), kFeaturesPerTask, [&](Index begin, Index end) {
    const Index count = end - begin;
    Matrix sum = terms.right.middleRows(begin, count);
    if (node.sparse.cols() > 0) {
      RowMatrix product(count, t.cols());
      transposed_rows(node.by_feature, rows, begin, end, product.data());
      sum += product;
    } else if (t.rows() > 0) {
      blas::gemm(false, false, as_int(count), as_int(t.cols()), as_int(t.rows()), 1, node.dense.data() + begin,
                 as_int(node.dense.rows()), t.data(), as_int(t.rows()), 1, sum.data(), as_int(count));
    }
    if (s.rows() > 0) sum.noalias() += terms.low_rank.middleRows(begin, count) * s;
    weights.middleRows(begin, count) = inverse.segment(begin, count).asDiagonal() * sum;
  });
  return weights;
}

}  // namespace

bool KeptFactors::fit(const Problem& problem) {
  double numbers = 0;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const NodeProblem& node = problem.node(i);
    const auto rows = static_cast<double>(node.is_tall ? problem.features() : node.samples());
    numbers += rows * rows;
  }
  return numbers <= kMost;
}

void KeptFactors::factor(const Problem& problem, std::vector<Vector> diagonals, Context& ctx) {
  factors_.resize(problem.size());
  parallel_for(ctx, std::ssize(factors_), 1, [&](Index number, Index) {
    const auto i = static_cast<std::size_t>(number);
    const NodeProblem& node = problem.node(i);
    Factor& own = factors_[i];
    if (node.is_tall) {
      SystemTerms terms;
      terms.diagonal = std::move(diagonals[i]);
      own.lower.resize(problem.features(), problem.features());
      assemble_system(node.gram, terms, own.lower, ctx);
      own.diagonal = std::move(terms.diagonal);
    } else {
      own.diagonal = diagonals[i].cwiseInverse();
      factor_wide(node, own.diagonal, own.lower, ctx);
    }
    own.is_usable = cholesky(own.lower, ctx);
  });
}

std::optional<Solution> KeptFactors::solve(std::size_t i, const NodeProblem& node, const SystemTerms& terms,
                                           Context& ctx) const {
  const Factor& own = factors_[i];
  const bool has_more = terms.own_gram || terms.own_right || terms.own_targets || terms.row_scale || terms.row_mean ||
                        terms.full != nullptr || terms.sum || terms.removed.cols() > 0 || terms.again;
  CLADE_CHECK(!has_more && terms.gram_factor == 1);  // as the method has said
  if (!own.is_usable) return std::nullopt;
  std::optional<Solution> solution =
      node.is_tall ? solve_tall(own, node, terms, ctx) : solve_wide(own, node, terms, ctx);
  if (solution && !solution->weights.allFinite()) throw unsolvable(node);
  return solution;
}

std::optional<Solution> KeptFactors::solve_tall(const Factor& own, const NodeProblem& node, const SystemTerms& terms,
                                                Context& ctx) {
  const Index width = terms.right.cols();
  const Index rank = terms.low_rank.cols();
  if (rank * kRowsPerColumn > terms.right.rows()) return std::nullopt;
  const Matrix right = node.right + terms.right;
  Matrix both(right.rows(), width + rank);
  both.leftCols(width) = right;
  if (rank > 0) both.rightCols(rank) = terms.low_rank;
  cholesky_solve(own.lower, both, ctx);
  Solution solution{both.leftCols(width)};
  Matrix& w = solution.weights;
  double overlap = 0;  // ||U'W||^2
  if (rank > 0) {
    const Matrix products = terms.low_rank.transpose() * both;
    Matrix small = products.rightCols(rank);
    small.diagonal().array() += 1;
    Matrix share = products.leftCols(width);
    if (!(small.diagonal().maxCoeff() <= kLargestShare) || !cholesky(small, ctx)) return std::nullopt;
    cholesky_solve(small, share, ctx);
    w.noalias() -= both.rightCols(rank) * share;
    overlap = share.squaredNorm();  // U'W is the share itself
  }
  // <W, X'X W> is <W, X'Y + R - M W - U U'W>.
  const double product = w.cwiseProduct(right - own.diagonal.asDiagonal() * w - 2 * node.right).sum();
  solution.squared_error = product - overlap + node.squared_labels;
  return solution;
}

std::optional<Solution> KeptFactors::solve_wide(const Factor& own, const NodeProblem& node, const SystemTerms& terms,
                                                Context& ctx) {
  const Index n = node.samples();
  const Index rank = terms.low_rank.cols();
  const bool has_right = !terms.right.isZero(0);
  const Index width = has_right ? terms.right.cols() : 0;
  Matrix t = label_matrix(node, terms.right.cols());
  Matrix s;
  if (width + rank > 0) {
    const Borders borders = borders_of(terms, has_right, own.diagonal, ctx);
    const Matrix image = forward(node, borders.scaled, ctx);
    Matrix both(n, t.cols() + rank);
    both.leftCols(t.cols()) = t;
    if (has_right) both.leftCols(width) -= image.leftCols(width);
    const auto across = image.rightCols(rank);
    both.rightCols(rank) = across;
    cholesky_solve(own.lower, both, ctx);
    t = both.leftCols(t.cols());
    if (rank > 0) {
      Matrix small = borders.square.rightCols(rank);
      small.noalias() -= across.transpose() * both.rightCols(rank);
      small.diagonal().array() += 1;
      s.noalias() = -(across.transpose() * t);
      if (has_right) s -= borders.square.leftCols(width);
      if (!cholesky(small, ctx)) return std::nullopt;
      cholesky_solve(small, s, ctx);
      t.noalias() -= both.rightCols(rank) * s;
    }
  } else {
    cholesky_solve(own.lower, t, ctx);
  }
  Solution solution{weights_of(node, terms, own.diagonal, t, s, ctx)};
  solution.squared_error = t.squaredNorm();  // T is Y - X W
  return solution;
}

}  // namespace clade
