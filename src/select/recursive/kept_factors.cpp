#include "select/recursive/kept_factors.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/check.h"
#include "core/parallel.h"
#include "math/blas/blas.h"
#include "math/symmetric_product.h"

namespace clade {
namespace {

// Solving for a column of U takes two passes over the factor of a tall node.
constexpr Index kRowsPerColumn = 64;
// Above it, more than half of the digits could be lost in a difference.
constexpr double kLargestShare = 1e6;
constexpr Index kFeaturesPerTask = 1024;

bool can_be_single(const NodeProblem& node) {
  if (node.is_tall) return node.gram.rows() >= RefinedFactor::kFewestRows;
  return node.dense.cols() >= RefinedFactor::kFewestRows;
}

// A X, or K X with M^-1 given as the diagonal.
Matrix matrix_times(const NodeProblem& node, const Vector& diagonal, const Matrix& x, Context& ctx) {
  if (node.is_tall) return symmetric_product(node.gram, x, ctx) + diagonal.asDiagonal() * x;
  Matrix by_features = Matrix::Zero(node.dense.rows(), x.cols());
  add_product(node.dense, x, by_features, ctx);
  by_features = diagonal.asDiagonal() * by_features;
  Matrix product = x;
  add_transposed_product(node.dense, by_features, product, ctx);
  return product;
}

constexpr Index kPartOfRow = 8;  // numbers of a row that are multiplied together
using RowPart = Eigen::Array<double, kPartOfRow, 1>;
constexpr std::size_t kColumnsOfU = 8;  // columns of U

// M^-1 [R U] by rows, R only if there is one, with zeros up to a multiple of kPartOfRow, and U'M^-1 [R U].
struct Borders {
  RowMatrix scaled;
  Matrix square;
};

// Columns [to, to + those of A) of some rows become diag(v) A.
void scale_by_rows(const Matrix& a, const Vector& v, Index begin, Index end, Index to, RowMatrix& rows) {
  for (Index c = 0; c < a.cols(); ++c) {
    for (Index r = begin; r < end; ++r) rows(r, to + c) = v(r) * a(r, c);
  }
}

// Adds the products of some columns of U with kPartOfRow columns of S to `sums`.
template <std::size_t... k>
void multiply_columns(const std::array<const double*, kColumnsOfU>& u, const RowMatrix& s, Index begin, Index end,
                      Index lane, const std::array<double*, kColumnsOfU>& sums, std::index_sequence<k...> /*all*/) {
  std::array<RowPart, kColumnsOfU> own = {Eigen::Map<const RowPart>(sums[k])...};
  for (Index r = begin; r < end; ++r) {
    const Eigen::Map<const RowPart> row(s.data() + r * s.cols() + lane);
    ((own[k] += u[k][r] * row), ...);
  }
  ((Eigen::Map<RowPart>(sums[k]) = own[k]), ...);
}

// Adds rows [begin, end) of U and S to S'U, which has room for a multiple of kColumnsOfU columns.
void add_border(const Matrix& u, const RowMatrix& s, Index begin, Index end, Matrix& sums) {
  for (Index c = 0; c < u.cols(); c += kColumnsOfU) {
    std::array<const double*, kColumnsOfU> columns;
    for (std::size_t k = 0; k < kColumnsOfU; ++k) {
      columns[k] = u.col(std::min(c + static_cast<Index>(k), u.cols() - 1)).data();
    }
    for (Index lane = 0; lane < s.cols(); lane += kPartOfRow) {
      std::array<double*, kColumnsOfU> own;
      for (std::size_t k = 0; k < kColumnsOfU; ++k) own[k] = &sums(lane, c + static_cast<Index>(k));
      multiply_columns(columns, s, begin, end, lane, own, std::make_index_sequence<kColumnsOfU>());
    }
  }
}

Borders borders_of(const SystemTerms& terms, bool has_right, const Vector& inverse, Context& ctx) {
  constexpr Index kRows = 128;  // stay in the fastest memory between the steps
  const Index width = has_right ? terms.right.cols() : 0;
  const Index rank = terms.low_rank.cols();
  const Index padded = chunk_count(width + rank, kPartOfRow) * kPartOfRow;
  const Index padded_rank = chunk_count(rank, kColumnsOfU) * static_cast<Index>(kColumnsOfU);
  Borders borders;
  borders.scaled.resize(terms.right.rows(), padded);
  const Matrix sums = parallel_reduce(
      ctx, terms.right.rows(), kFeaturesPerTask, Matrix(Matrix::Zero(padded, padded_rank)),
      [&](Index first, Index last) {
        Matrix part = Matrix::Zero(padded, padded_rank);
        for (Index begin = first; begin < last; begin += kRows) {
          const Index end = std::min(begin + kRows, last);
          if (has_right) scale_by_rows(terms.right, inverse, begin, end, 0, borders.scaled);
          if (rank > 0) scale_by_rows(terms.low_rank, inverse, begin, end, width, borders.scaled);
          borders.scaled.block(begin, width + rank, end - begin, padded - width - rank).setZero();
          if (rank > 0) add_border(terms.low_rank, borders.scaled, begin, end, part);
        }
        return part;
      },
      [](Matrix& total, const Matrix& part) { total += part; });
  borders.square = sums.topLeftCorner(width + rank, rank).transpose();
  return borders;
}

// X B, where B is given by rows, for its first columns.
Matrix forward(const NodeProblem& node, const RowMatrix& b, Index columns, Context& ctx) {
  if (node.sparse.cols() > 0) return transposed_product(node.sparse, b, ctx).leftCols(columns);
  Matrix product = Matrix::Zero(node.samples(), columns);
  add_transposed_product(node.dense, Matrix(b.leftCols(columns)), product, ctx);
  return product;
}

// X'T of some features, added to B. T has its columns side by side in groups of as many as ShortColumns takes.
void add_sparse_rows(const ShortColumns& by_feature, const std::vector<RowMatrix>& groups, Index begin, Index end,
                     Matrix& b) {
  RowMatrix product(end - begin, ShortColumns::kWide);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    by_feature.transposed_rows(groups[g].data(), begin, end, product.data());
    const Index first = static_cast<Index>(g) * ShortColumns::kWide;
    const Index columns = std::min(ShortColumns::kWide, b.cols() - first);
    b.middleCols(first, columns) += product.leftCols(columns);
  }
}

std::vector<RowMatrix> column_groups(const Matrix& t) {
  std::vector<RowMatrix> groups;
  for (Index first = 0; first < t.cols(); first += ShortColumns::kWide) {
    const Index columns = std::min(ShortColumns::kWide, t.cols() - first);
    groups.emplace_back(RowMatrix::Zero(t.rows(), ShortColumns::kWide)).leftCols(columns) =
        t.middleCols(first, columns);
  }
  return groups;
}

// M^-1 (R + X'T + U S), or without R.
Matrix weights_of(const NodeProblem& node, const SystemTerms& terms, bool has_right, const Vector& inverse,
                  const ShortColumns* by_feature, const Matrix& t, const Matrix& s, Context& ctx) {
  const std::vector<RowMatrix> groups = by_feature != nullptr ? column_groups(t) : std::vector<RowMatrix>();
  Matrix weights(terms.right.rows(), terms.right.cols());
  const auto as_int = [](Index value) { return static_cast<int>(value); };
  parallel_for(ctx, weights.rows(), kFeaturesPerTask, [&](Index begin, Index end) {
    const Index count = end - begin;
    Matrix sum = has_right ? Matrix(terms.right.middleRows(begin, count)) : Matrix(Matrix::Zero(count, t.cols()));
    if (by_feature != nullptr) {
      add_sparse_rows(*by_feature, groups, begin, end, sum);
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

void KeptFactors::set_in_double(const std::vector<char>& in_double) {
  factors_.resize(in_double.size());
  for (std::size_t i = 0; i < in_double.size(); ++i) factors_[i].in_double = in_double[i] != 0;
}

void KeptFactors::factor(const Problem& problem, std::vector<Vector> diagonals, Context& ctx) {
  factors_.resize(problem.size());
  const double most_terms = kMost * sizeof(double) / WeightedSquare::kTerm / static_cast<double>(problem.size());
  parallel_for(ctx, std::ssize(factors_), 1, [&](Index number, Index) {
    const auto i = static_cast<std::size_t>(number);
    if (!problem.owners().is_own(i)) return;
    const NodeProblem& node = problem.node(i);
    Factor& own = factors_[i];
    own.diagonal = node.is_tall ? std::move(diagonals[i]) : Vector(diagonals[i].cwiseInverse());
    own.in_double = own.in_double || in_double_ || !can_be_single(node);
    if (node.sparse.cols() > 0 && !own.square) {
      own.square.emplace(node.sparse, node.by_feature, most_terms);
      own.by_feature.emplace(node.by_feature);
    }
    if (!own.in_double) factor_single(own, node, ctx);
    if (own.in_double) factor_double(own, node, ctx);
  });
}

void KeptFactors::factor_single(Factor& own, const NodeProblem& node, Context& ctx) {
  const auto columns = [&](Index begin, Index end, MatrixRef some) {
    some = node.gram.block(begin, begin, some.rows(), some.cols());
    some.diagonal() += own.diagonal.segment(begin, end - begin);
  };
  own.is_usable = node.is_tall ? own.single.set(node.gram.diagonal() + own.diagonal, columns, ctx)
                               : own.single.set_inner_product(node.dense, own.diagonal, ctx);
  if (!own.is_usable) own.in_double = true;
}

// I + X M^-1 X'.
void KeptFactors::set_wide(Factor& own, const NodeProblem& node, Context& ctx) {
  const Index n = node.samples();
  own.lower.resize(n, n);
  if (n == 0) return;
  if (node.sparse.cols() > 0) {
    own.square->set(own.diagonal, own.lower, ctx);
  } else {
    own.lower.setZero();
    add_inner_product(scaled_rows(own.diagonal.cwiseSqrt(), node.dense, ctx), own.lower, ctx);
  }
  own.lower.diagonal().array() += 1;
}

void KeptFactors::factor_double(Factor& own, const NodeProblem& node, Context& ctx) {
  own.single = {};
  if (node.is_tall) {
    SystemTerms terms;
    terms.diagonal = own.diagonal;
    own.lower.resize(node.gram.rows(), node.gram.rows());
    assemble_system(node.gram, terms, own.lower, ctx);
  } else {
    set_wide(own, node, ctx);
  }
  own.is_usable = cholesky(own.lower, ctx);
}

bool KeptFactors::apply_inverse(Factor& own, const NodeProblem& node, Matrix& b, Context& ctx) {
  if (!own.in_double) {
    const auto multiply = [&](const Matrix& x) { return matrix_times(node, own.diagonal, x, ctx); };
    if (own.single.solve(multiply, b, ctx)) return true;
    own.in_double = true;
    factor_double(own, node, ctx);
  }
  if (own.is_usable) cholesky_solve(own.lower, b, ctx);
  return own.is_usable;
}

std::optional<Solution> KeptFactors::solve(std::size_t i, const NodeProblem& node, const SystemTerms& terms,
                                           Context& ctx) {
  Factor& own = factors_[i];
  const bool has_more = terms.own_gram || terms.own_right || terms.own_targets || terms.row_scale || terms.row_mean ||
                        terms.full != nullptr || terms.sum || terms.removed.cols() > 0 || terms.again;
  CLADE_CHECK(!has_more && terms.gram_factor == 1);  // as the method has said
  if (!own.is_usable) return std::nullopt;
  std::optional<Solution> solution =
      node.is_tall ? solve_tall(own, node, terms, ctx) : solve_wide(own, node, terms, ctx);
  if (solution && !solution->weights.allFinite()) throw unsolvable(node);
  return solution;
}

std::optional<Solution> KeptFactors::solve_tall(Factor& own, const NodeProblem& node, const SystemTerms& terms,
                                                Context& ctx) {
  const Index width = terms.right.cols();
  const Index rank = terms.low_rank.cols();
  if (rank * kRowsPerColumn > terms.right.rows()) return std::nullopt;
  const Matrix right = node.right + terms.right;
  Matrix both(right.rows(), width + rank);
  both.leftCols(width) = right;
  if (rank > 0) both.rightCols(rank) = terms.low_rank;
  if (!apply_inverse(own, node, both, ctx)) return std::nullopt;
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

std::optional<Solution> KeptFactors::solve_wide(Factor& own, const NodeProblem& node, const SystemTerms& terms,
                                                Context& ctx) {
  const Index n = node.samples();
  const Index rank = terms.low_rank.cols();
  const bool has_right = !terms.right.isZero(0);
  const Index width = has_right ? terms.right.cols() : 0;
  Matrix t = label_matrix(node, terms.right.cols());
  Matrix s;
  if (width + rank > 0) {
    const Borders borders = borders_of(terms, has_right, own.diagonal, ctx);
    const Matrix image = forward(node, borders.scaled, width + rank, ctx);
    Matrix both(n, t.cols() + rank);
    both.leftCols(t.cols()) = t;
    if (has_right) both.leftCols(width) -= image.leftCols(width);
    const auto across = image.rightCols(rank);
    both.rightCols(rank) = across;
    if (!apply_inverse(own, node, both, ctx)) return std::nullopt;
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
    if (!apply_inverse(own, node, t, ctx)) return std::nullopt;
  }
  const ShortColumns* const by_feature = own.by_feature ? &*own.by_feature : nullptr;
  Solution solution{weights_of(node, terms, has_right, own.diagonal, by_feature, t, s, ctx)};
  solution.squared_error = t.squaredNorm();  // T is Y - X W
  return solution;
}

}  // namespace clade
