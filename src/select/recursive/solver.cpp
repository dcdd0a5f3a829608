#include "select/recursive/solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "core/parallel.h"
#include "core/progress.h"

namespace clade {
namespace {

Vector penalty_diagonal(const Matrix& w, const SolverOptions& options) {
  return (options.lambda / 2) * w.rowwise().norm().cwiseMax(options.smallest_norm).cwiseInverse();
}

}  // namespace

std::vector<std::size_t> solving_order(const Problem& problem, SolvingOrder by) {
  std::vector<std::size_t> order(problem.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (by == SolvingOrder::kTopological) return order;
  const Taxonomy& taxonomy = problem.data().taxonomy();
  if (by == SolvingOrder::kInputRootLast) {
    std::sort(order.begin() + 1, order.end(), [&](std::size_t a, std::size_t b) {
      return taxonomy.input_position(problem.node(a).table->node) <
             taxonomy.input_position(problem.node(b).table->node);
    });
    std::rotate(order.begin(), order.begin() + 1, order.end());
    return order;
  }
  std::vector<NodeId> nodes(static_cast<std::size_t>(taxonomy.size()));
  std::iota(nodes.begin(), nodes.end(), 0);
  std::sort(nodes.begin(), nodes.end(),
            [&](NodeId a, NodeId b) { return taxonomy.input_position(a) < taxonomy.input_position(b); });
  std::vector<Index> first_named(static_cast<std::size_t>(taxonomy.size()), -1);
  Index named = 0;
  for (const NodeId node : nodes) {
    for (const NodeId parent : taxonomy.parents(node)) {
      Index& place = first_named[static_cast<std::size_t>(parent)];
      if (place < 0) place = named++;
    }
  }
  const auto place = [&](std::size_t i) {
    const NodeId node = problem.node(i).table->node;
    return i == 0 ? Index{-1} : first_named[static_cast<std::size_t>(node)];
  };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
  return order;
}

Weights make_start(const Problem& problem, Start start, std::uint64_t seed, const std::vector<std::size_t>& order,
                   bool root_first) {
  Weights w(problem.size(), Matrix::Ones(problem.features(), problem.width()));
  if (start == Start::kOnes) return w;
  std::minstd_rand0 generator(static_cast<std::minstd_rand0::result_type>(seed));
  const auto draw = [&](std::size_t i) {
    for (Index c = 0; c < w[i].cols(); ++c) {
      for (Index r = 0; r < w[i].rows(); ++r) w[i](r, c) = static_cast<double>(generator()) / 2147483647.0;
    }
  };
  if (root_first) draw(0);
  for (const std::size_t i : order) {
    if (i != 0) draw(i);
  }
  if (!root_first) draw(0);
  return w;
}

std::vector<std::vector<std::size_t>> waves(const CoupledMethod& method, const std::vector<std::size_t>& order) {
  std::vector<std::size_t> wave_of(order.size(), 0);
  std::vector<bool> is_placed(order.size(), false);
  std::vector<std::vector<std::size_t>> result;
  for (const std::size_t node : order) {
    std::size_t wave = 0;
    for (const std::size_t other : method.neighbours(node)) {
      if (is_placed[other]) wave = std::max(wave, wave_of[other] + 1);
    }
    wave_of[node] = wave;
    is_placed[node] = true;
    if (wave >= result.size()) result.resize(wave + 1);
    result[wave].push_back(node);
  }
  return result;
}

// A single node gets all threads: inside a parallel loop its algebra would run on one.
template <class Work>
void for_each_node(Context& ctx, std::size_t count, Work&& work) {
  if (count == 1) {
    ctx.check_cancelled();
    work(std::size_t{0});
    return;
  }
  parallel_for(ctx, static_cast<Index>(count), 1, [&](Index k, Index) { work(static_cast<std::size_t>(k)); });
}

double joint_objective(const CoupledMethod& method, const Weights& w, double lambda, Context& ctx) {
  const double own = parallel_reduce(
      ctx, static_cast<Index>(w.size()), 1, 0.0,
      [&](Index i, Index) {
        const auto at = static_cast<std::size_t>(i);
        return method.fit(at, w[at]) + lambda * w[at].rowwise().norm().sum();
      },
      [](double& total, double part) { total += part; });
  return own + method.value(w);
}

void CoupledMethod::prepare(const Problem& problem, Context& ctx) {
  problem_ = &problem;
  ctx_ = &ctx;
}
void CoupledMethod::move_start(Weights& /*w*/) const {}
std::vector<std::size_t> CoupledMethod::neighbours(std::size_t /*i*/) const {
  return {};
}
void CoupledMethod::node_changed(std::size_t /*i*/, const Matrix& /*before*/, const Matrix& /*after*/) {}
void CoupledMethod::begin_iteration(int /*iteration*/, const Weights& /*w*/, Context& /*ctx*/) {}
double CoupledMethod::fit(std::size_t i, const Matrix& w) const {
  return squared_error(problem_->node(i), w);
}

double squared_error(const NodeProblem& node, const Matrix& w) {
  if (node.is_tall) {
    const Matrix gram_w = node.gram.selfadjointView<Eigen::Lower>() * w;
    return w.cwiseProduct(gram_w).sum() - 2 * w.cwiseProduct(node.right).sum() + node.squared_labels;
  }
  if (node.samples() == 0) return 0;
  Matrix residual = node.sparse.cols() > 0 ? Matrix(node.sparse.transpose() * w) : Matrix(node.dense.transpose() * w);
  for (Index r = 0; r < node.samples(); ++r) {
    for (const std::int32_t column : node.table->labels(r)) residual(r, column) -= 1;
  }
  return residual.squaredNorm();
}

SolverResult solve(const Problem& problem, CoupledMethod& method, Weights start, const SolverOptions& options,
                   Context& ctx) {
  SolverResult result;
  result.weights = std::move(start);
  Weights& w = result.weights;
  method.prepare(problem, ctx);
  const auto groups = waves(method, options.order);
  double last = std::numeric_limits<double>::infinity();
  std::vector<char> was_indefinite(w.size(), 0);
  std::vector<Vector> diagonals(w.size());
  Workspaces workspaces;
  const auto terms_of = [&](std::size_t i) {
    SystemTerms terms;
    terms.diagonal = diagonals[i];
    terms.right = Matrix::Zero(problem.features(), problem.width());
    method.add_terms(i, w, terms);
    return terms;
  };
  Progress progress(ctx, "selecting", static_cast<Index>(w.size()) * options.iterations);
  for (int t = 0; t < options.iterations; ++t) {
    if (t == 0 || !options.is_penalty_fixed) {
      for (std::size_t i = 0; i < w.size(); ++i) diagonals[i] = penalty_diagonal(w[i], options);
    }
    if (t == 0) method.move_start(w);
    method.begin_iteration(t, w, ctx);
    for (const auto& group : groups) {
      std::vector<Matrix> solved(group.size());
      for_each_node(ctx, group.size(), [&](std::size_t k) {
        const std::size_t i = group[k];
        Solution solution = solve_system(problem.node(i), terms_of(i), workspaces, ctx);
        if (solution.was_indefinite) was_indefinite[i] = 1;
        solved[k] = std::move(solution.weights);
        progress.advance();
      });
      for (std::size_t k = 0; k < group.size(); ++k) {
        method.node_changed(group[k], w[group[k]], solved[k]);
        w[group[k]] = std::move(solved[k]);
      }
    }
    result.objective.push_back(joint_objective(method, w, options.lambda, ctx));
    const double now = result.objective.back();
    if (options.tolerance > 0 && t > 0 && last - now < options.tolerance * std::abs(last)) break;
    last = now;
  }
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (was_indefinite[i] != 0) result.indefinite.push_back(i);
  }
  constexpr Index kMostFeatures = 2000;  // beyond it the eigenvalue costs more than all iterations
  if (!result.indefinite.empty() && problem.features() <= kMostFeatures) {
    const std::size_t i = result.indefinite[0];
    result.smallest_eigenvalue = smallest_eigenvalue(problem.node(i), terms_of(i), ctx);
  }
  return result;
}

}  // namespace clade
