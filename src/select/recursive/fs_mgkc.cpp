#include "select/recursive/fs_mgkc.h"

#include <cmath>
#include <numbers>

#include "core/parallel.h"

namespace clade {

void FsMgkc::prepare(const Problem& problem, Context& ctx) {
  CoupledMethod::prepare(problem, ctx);
  link_.assign(problem.size(), 0);
  full_.assign(problem.size(), {});
  for (std::size_t i = 0; i < problem.size(); ++i) link_[i] = link_sum(i);
  if (coupling_.beta == 0 || coupling_.redundancy == Redundancy::kPsd) return;
  parallel_for(ctx, static_cast<Index>(problem.size()), 1, [&](Index i, Index) {
    const auto at = static_cast<std::size_t>(i);
    full_[at] = coupling_.beta * distance_matrix(at, ctx);
  });
}

double FsMgkc::link_sum(std::size_t i) const {
  const auto relatives = static_cast<double>(problem_->parents(i).size() + problem_->children(i).size());
  const auto siblings = static_cast<double>(problem_->siblings(i).size());
  const double sum = relatives * std::numbers::e + siblings / std::numbers::e;
  if (!coupling_.as_published) return sum;
  // The root is node 0. Its column: e for its children, 1 for itself and for everything else.
  const auto others = static_cast<double>(problem_->size()) - relatives - siblings;
  const auto& above = problem_->parents(i);
  const bool is_child = std::find(above.begin(), above.end(), std::size_t{0}) != above.end();
  return sum + others - (is_child ? std::numbers::e : 1);
}

Matrix FsMgkc::distance_matrix(std::size_t i, Context& ctx) const {
  Matrix gram = gram_of(problem_->node(i), problem_->features(), ctx);
  gram.triangularView<Eigen::StrictlyUpper>() = gram.transpose();
  const Vector squares = gram.diagonal();
  Matrix distances = -2 * gram;
  distances.colwise() += squares;
  distances.rowwise() += squares.transpose();
  distances = distances.cwiseMax(0);
  distances.diagonal().setZero();
  return coupling_.as_published ? distances : Matrix(distances.cwiseSqrt());
}

Matrix FsMgkc::centred_columns(std::size_t i) const {
  const Matrix columns = problem_->columns(i, 0, problem_->node(i).samples());
  return columns.rowwise() - columns.colwise().mean();
}

void FsMgkc::add_terms(std::size_t i, const Weights& /*w*/, SystemTerms& terms) const {
  terms.gram_factor += coupling_.alpha * link_[i];
  if (coupling_.beta == 0) return;
  if (coupling_.redundancy == Redundancy::kDistances) {
    terms.full = &full_[i];
  } else if (problem_->node(i).is_tall) {
    // C C' = H G H, from X'X by its means.
    Matrix gram = problem_->node(i).gram.selfadjointView<Eigen::Lower>();
    const Vector means = gram.rowwise().mean();
    gram.colwise() -= means;
    gram.rowwise() -= means.transpose();
    gram.array() += means.mean();
    terms.sum = coupling_.beta * gram;
  } else {
    terms.low_rank = std::sqrt(coupling_.beta) * centred_columns(i);
  }
}

double FsMgkc::value(const Weights& w) const {
  double sum = 0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const NodeProblem& node = problem_->node(i);
    if (coupling_.alpha > 0) {
      // ||X W||^2 from ||X W - Y||^2 = ||X W||^2 - 2 <W, X'Y> + ||Y||^2.
      const double fitted = squared_error(node, w[i]) + 2 * w[i].cwiseProduct(node.right).sum() - node.squared_labels;
      sum += coupling_.alpha * link_[i] * fitted;
    }
    if (coupling_.beta == 0) continue;
    if (coupling_.redundancy == Redundancy::kDistances) {
      sum += w[i].cwiseProduct(full_[i] * w[i]).sum();
    } else {
      // tr(W' C C' W) = ||X H W||^2.
      const Matrix centred = w[i].rowwise() - w[i].colwise().mean();
      const double fitted =
          squared_error(node, centred) + 2 * centred.cwiseProduct(node.right).sum() - node.squared_labels;
      sum += coupling_.beta * fitted;
    }
  }
  return sum;
}

}  // namespace clade
