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

Matrix weighted_sums(const Problem& problem, std::size_t i, const Matrix& weights) {
  const NodeProblem& node = problem.node(i);
  if (node.sparse.cols() > 0) return node.sparse * weights;
  if (!node.is_tall) return node.dense * weights;
  Matrix sums = Matrix::Zero(problem.features(), weights.cols());
  for_each_block(problem, i, [&](Index begin, Index end, const Matrix& columns) {
    sums.noalias() += columns * weights.middleRows(begin, end - begin);
  });
  return sums;
}

Matrix fitted_values(const Problem& problem, std::size_t i, const Matrix& w) {
  const NodeProblem& node = problem.node(i);
  if (node.sparse.cols() > 0) return node.sparse.transpose() * w;
  if (!node.is_tall) return node.dense.transpose() * w;
  Matrix fitted(node.samples(), w.cols());
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
  const double total = weights.sum();
  const Vector mean = centre ? Vector(weighted_sums(problem, i, weights) / total) : Vector::Zero(problem.features());
  const Eigen::RowVectorXd target_mean =
      centre ? Eigen::RowVectorXd(weights.transpose() * targets / total) : Eigen::RowVectorXd::Zero(targets.cols());
  const Vector roots = weights.cwiseSqrt();
  const Matrix moved = roots.asDiagonal() * (targets.rowwise() - target_mean);
  if (!node.is_tall) {
    terms.row_scale = roots;
    if (centre) terms.row_mean = mean;
    terms.own_targets = moved;
    return;
  }
  terms.own_gram = Matrix::Zero(problem.features(), problem.features());
  terms.own_right = Matrix::Zero(problem.features(), targets.cols());
  for_each_block(problem, i, [&](Index begin, Index end, const Matrix& columns) {
    const Matrix block = (columns.colwise() - mean) * roots.segment(begin, end - begin).asDiagonal();
    add_outer_product(block, *terms.own_gram, ctx);
    terms.own_right->noalias() += block * moved.middleRows(begin, end - begin);
  });
}

}  // namespace clade
