#include "select/recursive/weighted_rows.h"

#include <algorithm>
#include <cmath>

namespace clade {
namespace {

constexpr Index kRowsPerBlock = 1024;

template <class Visit>
void for_each_block(const Problem& problem, std::size_t i, Visit&& visit) {
  const Index n = problem.node(i).samples();
  for (Index begin = 0; begin < n; begin += kRowsPerBlock) {
    const Index end = std::min(n, begin + kRowsPerBlock);
    visit(begin, end, problem.columns(i, begin, end));
  }
}

}  // namespace

Matrix label_matrix(const NodeProblem& node, Index width) {
  Matrix y = Matrix::Zero(node.samples(), width);
  for (Index r = 0; r < node.samples(); ++r) {
    for (const std::int32_t column : node.table->labels(r)) y(r, column) = 1;
  }
  return y;
}

Matrix fitted_values(const Problem& problem, std::size_t i, const Matrix& w) {
  Matrix fitted(problem.node(i).samples(), w.cols());
  for_each_block(problem, i, [&](Index begin, Index end, const Matrix& columns) {
    fitted.middleRows(begin, end - begin).noalias() = columns.transpose() * w;
  });
  return fitted;
}

double smallest_share(Vector values, double share) {
  const Index kept = std::clamp<Index>(std::lround(share * static_cast<double>(values.size())), 1, values.size());
  std::nth_element(values.begin(), values.begin() + (kept - 1), values.end());
  return values(kept - 1);
}

void weight_rows(const Problem& problem, std::size_t i, const Vector& weights, const Matrix& targets, bool centre,
                 SystemTerms& terms, Context& ctx) {
  const NodeProblem& node = problem.node(i);
  if (node.samples() == 0) return;
  Vector mean = Vector::Zero(problem.features());
  Eigen::RowVectorXd target_mean = Eigen::RowVectorXd::Zero(targets.cols());
  if (centre) {
    for_each_block(problem, i, [&](Index begin, Index end, const Matrix& columns) {
      mean += columns * weights.segment(begin, end - begin);
    });
    mean /= weights.sum();
    target_mean = weights.transpose() * targets / weights.sum();
  }
  const Vector roots = weights.cwiseSqrt();
  const Matrix moved = roots.asDiagonal() * (targets.rowwise() - target_mean);
  const auto scaled = [&](Index begin, Index end, const Matrix& columns) {
    return Matrix((columns.colwise() - mean) * roots.segment(begin, end - begin).asDiagonal());
  };
  if (!node.is_tall) {
    terms.own_columns = scaled(0, node.samples(), problem.columns(i, 0, node.samples()));
    terms.own_targets = moved;
    return;
  }
  terms.own_gram = Matrix::Zero(problem.features(), problem.features());
  terms.own_right = Matrix::Zero(problem.features(), targets.cols());
  for_each_block(problem, i, [&](Index begin, Index end, const Matrix& columns) {
    const Matrix block = scaled(begin, end, columns);
    add_outer_product(block, *terms.own_gram, ctx);
    terms.own_right->noalias() += block * moved.middleRows(begin, end - begin);
  });
}

}  // namespace clade
