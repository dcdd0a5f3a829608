#include "select/recursive/exact.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/progress.h"
#include "math/group_lasso.h"
#include "select/recursive/solver.h"

namespace clade {
namespace {

// The matrix of the node's system without the penalty.
std::unique_ptr<QuadraticForm> form_of(const NodeProblem& node, const SystemTerms& terms, Context& ctx) {
  const Index features = terms.diagonal.size();
  if (node.is_tall || terms.full != nullptr || terms.sum) {
    Matrix h = gram_of(node, features, ctx);
    if (terms.gram_factor != 1) h *= terms.gram_factor;
    if (terms.full != nullptr) h += terms.full_factor * *terms.full;
    if (terms.sum) h += *terms.sum;
    if (terms.low_rank.cols() > 0) add_outer_product(terms.low_rank, h, ctx);
    if (terms.removed.cols() > 0) add_outer_product(terms.removed, h, ctx, -1);
    h.triangularView<Eigen::StrictlyUpper>() = h.transpose();
    h.diagonal() += terms.diagonal;
    return gram_form(std::move(h));
  }
  const double root = std::sqrt(terms.gram_factor);
  ColumnSet columns;
  columns.ridge = terms.diagonal;
  if (node.sparse.cols() > 0) {
    columns.sparse = root * SparseColumns(node.sparse.transpose());
    columns.dense = terms.low_rank.transpose();
  } else {
    columns.dense.resize(node.samples() + terms.low_rank.cols(), features);
    if (node.samples() > 0) columns.dense.topRows(node.samples()) = root * node.dense.transpose();
    if (terms.low_rank.cols() > 0) {
      columns.dense.bottomRows(terms.low_rank.cols()) = terms.low_rank.transpose();
    }
  }
  return column_form(std::move(columns));
}

GroupLassoResult solve_node(const Problem& problem, const CoupledMethod& method, std::size_t i, const Weights& w,
                            const ExactOptions& options, Context& ctx) {
  const NodeProblem& node = problem.node(i);
  SystemTerms terms;
  terms.diagonal = Vector::Zero(problem.features());
  terms.right = Matrix::Zero(problem.features(), problem.width());
  method.add_terms(i, w, terms);
  const std::unique_ptr<QuadraticForm> form = form_of(node, terms, ctx);
  GroupLassoProblem own{*form, node.right + terms.right, {}, node.squared_labels + terms.square};
  // A right-hand side that completes no square is a linear term.
  if (terms.square == 0 && !terms.right.isZero(0)) own.extra = terms.right;
  GroupLassoResult result = minimise(own, options.lambda, w[i], {.tolerance = options.tolerance}, ctx);
  if (result.status == GroupLassoStatus::kUnbounded) {
    throw usage_error("the problem of the node '" + node.name + "' has no minimum",
                      "expected a smaller coupling, or a larger `lambda`");
  }
  return result;
}

class Rounds {
 public:
  Rounds(const Problem& problem, CoupledMethod& method, const ExactOptions& options, Context& ctx)
      : problem_(problem),
        method_(method),
        options_(options),
        ctx_(ctx),
        groups_(waves(method, options.order)),
        certificates_(problem.size()),
        node_converged_(problem.size(), 1) {}

  ExactResult run(Weights start) {
    ExactResult result;
    Weights& w = result.weights;
    w = std::move(start);
    method_.begin_iteration(0, w, ctx_);
    double last = joint_objective(method_, w, options_.lambda, ctx_);
    const int rounds = groups_.size() > 1 ? options_.rounds : 1;
    bool falls = true;
    for (int round = 0; round < rounds && falls; ++round) {
      const Weights before = w;
      solve_all(round, w);
      const double now = joint_objective(method_, w, options_.lambda, ctx_);
      if (!std::isfinite(now)) throw usage_error("the objective has no minimum", "expected a smaller coupling");
      // Only rounding can make it rise; the weights from before are then just as good.
      if (now > last) {
        for (std::size_t i = 0; i < w.size(); ++i) method_.node_changed(i, w[i], before[i]);
        w = before;
      }
      result.objective.push_back(std::min(now, last));
      falls = last - now > options_.tolerance * std::abs(last);
      last = result.objective.back();
    }
    result.has_converged =
        std::ranges::all_of(node_converged_, [](char yes) { return yes != 0; }) && (groups_.size() <= 1 || !falls);
    result.gap = groups_.size() > 1 ? largest_gap() : whole_gap(last);
    return result;
  }

 private:
  void solve_all(int round, Weights& w) {
    method_.begin_iteration(round, w, ctx_);
    Progress progress(ctx_, "solving exactly", static_cast<Index>(w.size()));
    for (const auto& group : groups_) {
      std::vector<Matrix> solved(group.size());
      parallel_for(ctx_, static_cast<Index>(group.size()), 1, [&](Index k, Index) {
        const std::size_t i = group[static_cast<std::size_t>(k)];
        GroupLassoResult result = solve_node(problem_, method_, i, w, options_, ctx_);
        certificates_[i] = result.certificate;
        node_converged_[i] = result.status == GroupLassoStatus::kConverged ? 1 : 0;
        solved[static_cast<std::size_t>(k)] = std::move(result.weights);
        progress.advance();
      });
      for (std::size_t k = 0; k < group.size(); ++k) {
        method_.node_changed(group[k], w[group[k]], solved[k]);
        w[group[k]] = std::move(solved[k]);
      }
    }
  }

  double largest_gap() const {
    double gap = 0;
    for (const Certificate& node : certificates_) gap = std::max(gap, node.relative_gap());
    return gap;
  }
  double whole_gap(double objective) const {
    Certificate whole{.objective = objective};
    for (const Certificate& node : certificates_) whole.gap += node.gap;
    return whole.relative_gap();
  }

  const Problem& problem_;
  CoupledMethod& method_;
  const ExactOptions& options_;
  Context& ctx_;
  std::vector<std::vector<std::size_t>> groups_;
  std::vector<Certificate> certificates_;
  std::vector<char> node_converged_;  // not bool, because several threads write it
};

}  // namespace

ExactResult solve_exactly(const Problem& problem, CoupledMethod& method, Weights start, const ExactOptions& options,
                          Context& ctx) {
  return Rounds(problem, method, options, ctx).run(std::move(start));
}

double largest_lambda(const Problem& problem) {
  double largest = 0;
  for (std::size_t i = 0; i < problem.size(); ++i) largest = std::max(largest, largest_lambda(problem.node(i).right));
  return largest;
}

std::vector<double> residual_correlations(const NodeProblem& node, const Matrix& w) {
  Matrix correlations = node.right;
  if (node.is_tall) {
    correlations.noalias() -= node.gram.selfadjointView<Eigen::Lower>() * w;
  } else if (node.sparse.cols() > 0) {
    const Matrix fitted = node.sparse.transpose() * w;
    correlations -= node.sparse * fitted;
  } else if (node.samples() > 0) {
    const Matrix fitted = node.dense.transpose() * w;
    correlations -= node.dense * fitted;
  }
  const Vector norms = correlations.leftCols(node.classes()).rowwise().norm();
  return {norms.begin(), norms.end()};
}

}  // namespace clade
