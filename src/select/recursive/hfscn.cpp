#include "select/recursive/hfscn.h"

#include <limits>

#include "core/parallel.h"
#include "select/recursive/weighted_rows.h"

namespace clade {

void Hfscn::prepare(const Problem& problem, Context& ctx) {
  Hirr::prepare(problem, ctx);
  row_weights_.clear();
  for (std::size_t i = 0; i < problem.size(); ++i) row_weights_.push_back(Vector::Ones(problem.node(i).samples()));
}

Vector Hfscn::residual_norms(std::size_t i, const Matrix& w) const {
  return (fitted_values(*problem_, i, w) - label_matrix(problem_->node(i), problem_->width())).rowwise().norm();
}

void Hfscn::begin_iteration(int iteration, const Weights& w, Context& ctx) {
  Hirr::begin_iteration(iteration, w, ctx);
  if (iteration == 0) return;
  parallel_for(ctx, static_cast<Index>(w.size()), 1, [&](Index node, Index) {
    const auto i = static_cast<std::size_t>(node);
    if (problem_->node(i).samples() == 0) return;
    const Vector norms = residual_norms(i, w[i]);
    const double limit = smallest_share(norms, 1 - cap_);
    for (Index r = 0; r < norms.size(); ++r) {
      row_weights_[i](r) = norms(r) <= limit ? 1 / std::max(norms(r), std::numeric_limits<double>::epsilon()) : 0;
    }
  });
}

void Hfscn::add_terms(std::size_t i, const Weights& w, SystemTerms& terms) const {
  Hirr::add_terms(i, w, terms);
  weight_rows(*problem_, i, row_weights_[i], label_matrix(problem_->node(i), problem_->width()), false, terms, *ctx_);
}

double Hfscn::fit(std::size_t i, const Matrix& w) const {
  if (problem_->node(i).samples() == 0) return 0;
  const Vector norms = residual_norms(i, w);
  return 2 * norms.cwiseMin(smallest_share(norms, 1 - cap_)).sum();
}

}  // namespace clade
