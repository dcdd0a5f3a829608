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
  if (coupling_.beta == 0) return;
  parallel_for(ctx, static_cast<Index>(problem.size()), 1, [&](Index i, Index) {
    const auto at = static_cast<std::size_t>(i);
    full_[at] = coupling_.beta * redundancy_matrix(at, ctx);
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

Matrix FsMgkc::redundancy_matrix(std::size_t i, Context& ctx) const {
  const NodeProblem& node = problem_->node(i);
  Matrix gram = node.gram;
  if (!node.is_tall) {
    gram = Matrix::Zero(problem_->features(), problem_->features());
    if (node.samples() > 0) add_outer_product(problem_->columns(i, 0, node.samples()), gram, ctx);
  }
  gram.triangularView<Eigen::StrictlyUpper>() = gram.transpose();
  if (coupling_.redundancy == Redundancy::kPsd) {
    const Vector means = gram.rowwise().mean();
    Matrix centred = gram.colwise() - means;
    centred.rowwise() -= means.transpose();
    centred.array() += means.mean();
    return centred;
  }
  const Vector squares = gram.diagonal();
  Matrix distances = -2 * gram;
  distances.colwise() += squares;
  distances.rowwise() += squares.transpose();
  distances = distances.cwiseMax(0);
  distances.diagonal().setZero();
  return coupling_.as_published ? distances : Matrix(distances.cwiseSqrt());
}

void FsMgkc::add_terms(std::size_t i, const Weights& /*w*/, SystemTerms& terms) const {
  terms.gram_factor += coupling_.alpha * link_[i];
  if (coupling_.beta > 0) terms.full = &full_[i];
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
    if (coupling_.beta > 0) sum += w[i].cwiseProduct(full_[i] * w[i]).sum();
  }
  return sum;
}

}  // namespace clade
