#include "select/recursive/logistic_loss.h"

#include <algorithm>
#include <cmath>

#include "select/recursive/weighted_rows.h"

namespace clade {
namespace {

// Systems of one iteration: more would hardly help, because the penalty's bound then no longer fits the weights.
constexpr int kSystemsPerIteration = 10;

// log(1 + exp(s)) without overflow.
double soft_plus(double s) {
  return std::max(s, 0.0) + std::log1p(std::exp(-std::abs(s)));
}

}  // namespace

void LogisticLoss::prepare(const Problem& problem, Context& ctx) {
  CoupledMethod::prepare(problem, ctx);
  coupling_->prepare(problem, ctx);
  is_multinomial_.assign(problem.size(), 1);
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const NodeTable& table = *problem.node(i).table;
    for (Index r = 0; r < table.samples(); ++r) {
      if (table.labels(r).size() != 1) is_multinomial_[i] = 0;
    }
  }
}

void LogisticLoss::move_start(Weights& w) const {
  for (Matrix& own : w) own.setZero();
}

double LogisticLoss::residuals(std::size_t i, Matrix& scores) const {
  const NodeProblem& node = problem_->node(i);
  auto own = scores.leftCols(node.classes());
  auto padding = scores.rightCols(scores.cols() - node.classes());
  double loss = curvature(i) / 2 * padding.squaredNorm();
  padding *= curvature(i);
  for (Index r = 0; r < scores.rows(); ++r) {
    for (const std::int32_t child : node.table->labels(r)) loss -= own(r, child);
    if (is_multinomial_[i] != 0) {
      const double largest = own.row(r).maxCoeff();
      own.row(r) = (own.row(r).array() - largest).exp();
      const double sum = own.row(r).sum();
      loss += largest + std::log(sum);
      own.row(r) /= sum;
    } else {
      for (Index c = 0; c < own.cols(); ++c) {
        loss += soft_plus(own(r, c));
        own(r, c) = 1 / (1 + std::exp(-own(r, c)));
      }
    }
    for (const std::int32_t child : node.table->labels(r)) own(r, child) -= 1;
  }
  return loss;
}

Matrix LogisticLoss::data_term(std::size_t i, const Matrix& w) const {
  const NodeProblem& node = problem_->node(i);
  const double half = curvature(i) / 2;
  const Matrix scores = fitted_values(*problem_, i, w);
  Matrix errors = scores;
  residuals(i, errors);
  if (!node.is_tall) return half * scores - 0.5 * errors;
  // h/2 X'Z = h/2 X'X V - X'E / 2.
  Matrix right = -0.5 * weighted_sums(*problem_, i, errors);
  right.noalias() += half * (node.gram.selfadjointView<Eigen::Lower>() * w);
  return right;
}

void LogisticLoss::add_terms(std::size_t i, const Weights& w, SystemTerms& terms) const {
  coupling_->add_terms(i, w, terms);
  if (problem_->node(i).samples() == 0) return;
  terms.gram_factor += curvature(i) / 2 - 1;
  const auto data = [this, i](const Matrix& weights) { return data_term(i, weights); };
  (problem_->node(i).is_tall ? terms.own_right : terms.own_targets) = data(w[i]);
  terms.again = [data, left = kSystemsPerIteration - 1](const Matrix& weights) mutable -> std::optional<Matrix> {
    if (left-- == 0) return std::nullopt;
    return data(weights);
  };
}

double LogisticLoss::fit(std::size_t i, const Matrix& w) const {
  if (problem_->node(i).samples() == 0) return 0;
  Matrix scores = fitted_values(*problem_, i, w);
  return residuals(i, scores);
}

}  // namespace clade
