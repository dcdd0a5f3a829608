#include "select/recursive/node_factor.h"

#include "select/recursive/system.h"

namespace clade {
namespace {

constexpr Index kFewSamples = 16;      // up to so many, calling a library costs more than solving
constexpr Index kSmallProduct = 4096;  // numbers in a matrix up to which packing it costs more than multiplying

// B becomes the solution of L L' X = B.
void solve_small(const Matrix& l, Matrix& b) {
  const Index n = l.rows();
  for (Index c = 0; c < b.cols(); ++c) {
    double* const x = b.col(c).data();
    for (Index j = 0; j < n; ++j) {
      x[j] /= l(j, j);
      for (Index i = j + 1; i < n; ++i) x[i] -= l(i, j) * x[j];
    }
    for (Index j = n; j-- > 0;) {
      for (Index i = j + 1; i < n; ++i) x[j] -= l(i, j) * x[i];
      x[j] /= l(j, j);
    }
  }
}

// X B, where X' is given.
Matrix forward(const NodeProblem& node, const Matrix& b) {
  if (node.sparse.cols() > 0) return node.sparse.transpose() * b;
  if (node.dense.size() <= kSmallProduct) return node.dense.transpose().lazyProduct(b);
  return node.dense.transpose() * b;
}

// Adds X' T to B.
void add_backward(const NodeProblem& node, const Matrix& t, Matrix& b) {
  if (node.sparse.cols() > 0) {
    b += node.sparse * t;
  } else if (node.dense.size() <= kSmallProduct) {
    b.noalias() += node.dense.lazyProduct(t);
  } else {
    b.noalias() += node.dense * t;
  }
}

}  // namespace

bool NodeFactor::set(const NodeProblem& node, const Vector& diagonal, Context& ctx) {
  if (node.is_tall) {
    diagonal_ = diagonal;
    factor_ = node.gram;
    factor_.diagonal() += diagonal;
    return cholesky(factor_, ctx);
  }
  diagonal_ = diagonal.cwiseInverse();
  const Index n = node.samples();
  factor_.setZero(n, n);
  if (n == 0) return true;
  if (node.sparse.cols() > 0) {
    add_weighted_square(node.sparse, node.by_feature, diagonal_, factor_, ctx);
  } else {
    add_inner_product(scaled_rows(diagonal_.cwiseSqrt(), node.dense, ctx), factor_, ctx);
  }
  factor_.diagonal().array() += 1;
  return cholesky(factor_, ctx);
}

double NodeFactor::solve(const NodeProblem& node, Index first, Matrix& right, Context& ctx) const {
  const double fit =
      node.is_tall ? solve_by_features(node, first, right, ctx) : solve_by_samples(node, first, right, ctx);
  if (!right.allFinite()) throw unsolvable(node);
  return fit;
}

// With (X'X + M) W = B, <W, X'X W> is <W, B - M W>.
double NodeFactor::solve_by_features(const NodeProblem& node, Index first, Matrix& right, Context& ctx) const {
  const auto own = node.right.middleCols(first, right.cols());
  const Matrix b = right + own;
  right = b;
  cholesky_solve(factor_, right, ctx);
  const double product = right.cwiseProduct(b - diagonal_.asDiagonal() * right - 2 * own).sum();
  return product + (first == 0 ? node.squared_labels : 0);
}

// W = M^-1 (R + X' T),   (I + X M^-1 X') T = Y - X M^-1 R,   and so Y - X W = T.
double NodeFactor::solve_by_samples(const NodeProblem& node, Index first, Matrix& right, Context& ctx) const {
  const Index n = node.samples();
  double fit = 0;
  if (n > 0) {
    Matrix t = -forward(node, diagonal_.asDiagonal() * right);
    for (Index r = 0; r < n; ++r) {
      for (const std::int32_t column : node.table->labels(r)) {
        if (column >= first && column < first + right.cols()) t(r, column - first) += 1;
      }
    }
    if (n <= kFewSamples) {
      solve_small(factor_, t);
    } else {
      cholesky_solve(factor_, t, ctx);
    }
    add_backward(node, t, right);
    fit = t.squaredNorm();
  }
  right = diagonal_.asDiagonal() * right;
  return fit;
}

double factor_size(const Problem& problem) {
  double size = 0;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const NodeProblem& node = problem.node(i);
    const auto rows = static_cast<double>(node.is_tall ? problem.features() : node.samples());
    size += rows * rows + static_cast<double>(problem.features());
  }
  return size;
}

}  // namespace clade
