#include "select/recursive/hfsdk.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "select/recursive/weighted_rows.h"

namespace clade {
namespace {

constexpr double kSmallest = 1e-16;  // squared residuals below it count as this much in weights

}  // namespace

void Hfsdk::prepare(const Problem& problem, Context& ctx) {
  CoupledMethod::prepare(problem, ctx);
  states_.clear();
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const NodeProblem& node = problem.node(i);
    states_.push_back({Vector::Ones(node.samples()), label_matrix(node, problem.width()), 0});
  }
}

std::vector<std::size_t> Hfsdk::neighbours(std::size_t i) const {
  if (!settings_.has_children) return {};
  std::vector<std::size_t> all = problem_->parents(i);
  all.insert(all.end(), problem_->children(i).begin(), problem_->children(i).end());
  return all;
}

Matrix Hfsdk::children_mean(std::size_t i, const Weights& w) const {
  Matrix mean = Matrix::Zero(problem_->features(), problem_->width());
  const auto& children = problem_->children(i);
  if (!settings_.has_children || children.empty()) return mean;
  for (const std::size_t child : children) mean += w[child];
  return mean / static_cast<double>(children.size());
}

Matrix Hfsdk::fitted(std::size_t i, const Matrix& w) const {
  const NodeState& state = states_[i];
  const Matrix plain = fitted_values(*problem_, i, w);
  const Eigen::RowVectorXd intercept =
      state.row_weights.transpose() * (state.targets - plain) / state.row_weights.sum();
  return plain.rowwise() + intercept;
}

void Hfsdk::update(std::size_t i, const Matrix& w, bool moves_cap) {
  NodeState& state = states_[i];
  if (problem_->node(i).samples() == 0) return;
  const Matrix y = label_matrix(problem_->node(i), problem_->width());
  const Matrix values = fitted(i, w);
  const Matrix slack = y.cwiseProduct(values - y).cwiseMax(0);
  state.targets = y + y.cwiseProduct(slack);
  const Vector squares = (values - state.targets).rowwise().squaredNorm();
  if (moves_cap) state.cap = smallest_share(squares, settings_.kept);
  for (Index r = 0; r < squares.size(); ++r) {
    const double weight = settings_.power / 2 * std::pow(std::max(squares(r), kSmallest), (settings_.power - 2) / 2);
    state.row_weights(r) = squares(r) <= state.cap ? weight : 0;
  }
  // A cap that was fixed earlier may leave every sample beyond it.
  if (state.row_weights.sum() == 0) state.row_weights.setOnes();
}

void Hfsdk::begin_iteration(int iteration, const Weights& w, Context& ctx) {
  const bool moves_cap = iteration < 0.4 * settings_.iterations;
  parallel_for(ctx, static_cast<Index>(w.size()), 1,
               [&](Index i, Index) { update(static_cast<std::size_t>(i), w[static_cast<std::size_t>(i)], moves_cap); });
}

void Hfsdk::add_terms(std::size_t i, const Weights& w, SystemTerms& terms) const {
  terms.add_multiple_of_identity(settings_.beta);
  terms.right += settings_.beta * children_mean(i, w);
  weight_rows(*problem_, i, states_[i].row_weights, states_[i].targets, true, terms, *ctx_);
}

double Hfsdk::value(const Weights& w) const {
  double sum = 0;
  for (std::size_t i = 0; i < w.size(); ++i) sum += settings_.beta * (w[i] - children_mean(i, w)).squaredNorm();
  return sum;
}

double Hfsdk::fit(std::size_t i, const Matrix& w) const {
  if (problem_->node(i).samples() == 0) return 0;
  const Vector squares = (fitted(i, w) - states_[i].targets).rowwise().squaredNorm();
  const double cap = states_[i].cap > 0 ? states_[i].cap : squares.maxCoeff();
  return squares.cwiseMin(cap).unaryExpr([&](double r) { return std::pow(r, settings_.power / 2); }).sum();
}

}  // namespace clade
