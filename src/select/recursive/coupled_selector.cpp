#include "select/recursive/coupled_selector.h"

#include <clade/split.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/memory_size.h"
#include "core/parallel.h"
#include "core/stopwatch.h"
#include "data/row_exchange.h"
#include "select/ranking.h"
#include "select/recursive/lambda_path.h"
#include "select/recursive/logistic_loss.h"
#include "select/recursive/shared_nodes.h"

namespace clade {
namespace {

constexpr Choice<Start> kStartWords[] = {{Start::kOnes, "ones"}, {Start::kRandom, "random"}};
constexpr Choice<SolverKind> kSolverWords[] = {{SolverKind::kIrls, "irls"}, {SolverKind::kExact, "exact"}};
constexpr Choice<LambdaChoice> kLambdaWords[] = {{LambdaChoice::kGiven, "given"},
                                                 {LambdaChoice::kCrossValidation, "cv"}};
constexpr Choice<CoupledLoss> kLossWords[] = {{CoupledLoss::kSquares, "squares"}, {CoupledLoss::kLogistic, "logistic"}};
constexpr int kGridOfCrossValidation = 20;  // values of lambda, unless `path` says otherwise

std::vector<double> row_norms(const Matrix& w) {
  const Vector norms = w.rowwise().norm();
  return {norms.begin(), norms.end()};
}

// Records how long the work on nodes took, for a plan.
class NodeTime {
 public:
  explicit NodeTime(const NodeOwners& owners) : work_(owners.is_shared() ? owners.team().record() : nullptr) {}
  ~NodeTime() {
    if (work_ != nullptr) work_->nodes.back().seconds = seconds_since(start_);
  }
  NodeTime(const NodeTime&) = delete;
  NodeTime& operator=(const NodeTime&) = delete;

 private:
  SharedWork* work_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void note_gap(double gap, bool has_converged, FeatureRanking& result) {
  if (std::isfinite(gap)) result.gap = gap;
  if (has_converged) return;
  result.notes.push_back(std::isfinite(gap)
                             ? fmt::format("the exact solver stopped early, at a relative gap of {:.2g}", gap)
                             : "the exact solver has no certificate: the coupling is large for these data");
}

}  // namespace

ParameterTable CoupledSelector::parameters() {
  ParameterTable v;
  CoupledOptions& o = common_;
  v("lambda", o.lambda, positive(), "weight of the group penalty; larger keeps fewer features");
  describe_own(v);
  if (!habits_.has_own_loss) v("loss", o.loss, kLossWords, "how weights fit the children: squared errors, or logistic");
  v("iterations", o.iterations, between(1, 100000), "iterations of the solver");
  v("tolerance", o.tolerance, nonnegative(), "stop when the objective falls by less than this share; 0: never");
  v("start", o.start, kStartWords, "initial weights: all ones, or random (by `seed`)");
  v("as-published", o.as_published, "do as the published program does, including its mistakes");
  v("solver", o.solver, kSolverWords,
    "irls: only the iterations; exact: then continue to the minimum, with a certificate");
  v("gap", o.gap, positive(), "relative duality gap at which the exact solver stops");
  v("path", o.path, between(0, 10000),
    "rank features by when they enter, over this many falling values of lambda; 0: one lambda");
  v("path-ratio", o.path_ratio, inside(0, 1), "last lambda of the path relative to the first");
  v("select-lambda", o.select_lambda, kLambdaWords,
    "given: `lambda`; cv: the value of the path with the smallest squared error in cross-validation");
  v("cv-folds", o.cv_folds, between(2, 1000), "number of folds for `select-lambda` cv");
  return v;
}

std::vector<Selector::Idle> CoupledSelector::idle_parameters() const {
  const bool is_chosen = common_.select_lambda == LambdaChoice::kCrossValidation;
  std::vector<Idle> idle;
  if (!common_.needs_exact()) idle.push_back({"gap", "without `solver` exact, `path` or `select-lambda` cv"});
  if (!is_chosen) idle.push_back({"cv-folds", "without `select-lambda` cv"});
  if (!is_chosen && common_.path == 0) idle.push_back({"path-ratio", "without `path` or `select-lambda` cv"});
  if (is_chosen) idle.push_back({"lambda", "with `select-lambda` cv, which chooses it"});
  if (!is_chosen && common_.path > 0) idle.push_back({"lambda", "with `path`, which tries many"});
  return idle;
}

FeatureRanking CoupledSelector::select(const SelectionInput& input, Context& ctx) {
  settle(input.data);
  check();
  const NodeOwners owners = owners_of(input, ctx);
  check_memory(input, owners, ctx);
  const NodeTime time(owners);
  // Every process gets the rows that its nodes need.
  const Dataset data = input.data.row_parts()
                           ? with_rows(input.data, rows_by_owner(input.data, input.tables, owners), owners.team())
                           : input.data;
  Problem problem(data, input.tables, ctx, owners);
  FeatureRanking result;
  if (common_.select_lambda == LambdaChoice::kCrossValidation) {
    cross_validate(input, problem, result, ctx);
  } else if (common_.path > 0) {
    rank_by_path(input, problem, result, ctx);
    return result;
  }
  rank_at_lambda(input, problem, result, ctx);
  return result;
}

void CoupledSelector::rank_at_lambda(const SelectionInput& input, Problem& problem, FeatureRanking& result,
                                     Context& ctx) const {
  const std::unique_ptr<CoupledMethod> method = method_with_loss();
  const bool is_exact = common_.solver == SolverKind::kExact;
  SolverResult solved;
  if (is_exact && can_start_from_zero(input, problem, *method, ctx)) {
    solved.weights.assign(problem.size(), Matrix::Zero(problem.features(), problem.width()));
  } else {
    solved = solve_or_explain(problem, *method, ctx);
    note_trouble(problem, solved, result);
  }
  result.objective = solved.objective;
  if (is_exact) {
    ExactResult exact = solve_exactly(problem, *method, std::move(solved.weights), exact_options(problem), ctx);
    result.objective.insert(result.objective.end(), exact.objective.begin(), exact.objective.end());
    note_gap(exact.gap, exact.has_converged, result);
    solved.weights = std::move(exact.weights);
  }
  std::vector<std::size_t> asked_for;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    if (input.is_asked_for(input.tables[i].node)) asked_for.push_back(i);
  }
  result.nodes.resize(asked_for.size());
  parallel_for(ctx, std::ssize(asked_for), 1, [&](Index k, Index) {
    const std::size_t i = asked_for[static_cast<std::size_t>(k)];
    NodeRanking& ranking = result.nodes[static_cast<std::size_t>(k)];
    const NodeTable& table = input.tables[i];
    const std::vector<double> norms = ranking_norms(problem, solved.weights, i);
    ranking = is_exact ? rank_features(table, norms, residual_correlations(problem.node(i), solved.weights[i]))
                       : rank_features(table, norms);
    ranking.common = common_features(problem, solved.weights, i);
  });
}

// The exact solver can start anywhere if nodes are independent. With few samples it takes less time to add rows to
// nothing than to find those that reweighting, which leaves none zero, has made small. If so, the method is prepared.
bool CoupledSelector::can_start_from_zero(const SelectionInput& input, const Problem& problem, CoupledMethod& method,
                                          Context& ctx) const {
  const KeptMatrices kept = kept_matrices(input);
  if (kept.one_per_node || kept.others > 0) return false;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    if (problem.node(i).is_tall) return false;
  }
  method.prepare(problem, ctx);
  for (std::size_t i = 0; i < problem.size(); ++i) {
    if (!method.neighbours(i).empty()) return false;
  }
  return true;
}

std::vector<double> CoupledSelector::ranking_norms(const Problem& problem, const Weights& w, std::size_t i) const {
  // Columns beyond a node's own children are padding.
  const bool ranks_padding = common_.as_published && habits_.ranks_padding_published;
  return row_norms(w[i].leftCols(ranks_padding ? problem.width() : problem.node(i).classes()));
}

// Ranks features by the lambda at which they enter; ties by their weight at the last lambda; those that never enter by
// how much they could still explain.
void CoupledSelector::rank_by_path(const SelectionInput& input, const Problem& problem, FeatureRanking& result,
                                   Context& ctx) const {
  const std::vector<double> lambdas = lambdas_of(problem, common_.path);
  const std::unique_ptr<CoupledMethod> method = method_with_loss();
  method->prepare(problem, ctx);
  const LambdaPath path = follow_path(problem, *method, lambdas, exact_options(problem), {}, ctx);
  result.objective = path.objective;
  note_gap(path.gap, path.has_converged, result);
  std::string list;
  for (const double lambda : lambdas) list += fmt::format("{}{:.6g}", list.empty() ? "" : ", ", lambda);
  result.notes.push_back(fmt::format("the weight of a feature is the lambda at which it enters; lambdas: {}", list));
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const NodeTable& table = input.tables[i];
    if (!input.is_asked_for(table.node)) continue;
    std::vector<double> second = row_norms(path.weights[i].leftCols(table.classes()));
    const std::vector<double> rest = residual_correlations(problem.node(i), path.weights[i]);
    for (std::size_t f = 0; f < second.size(); ++f) {
      if (path.enters[i][f] == 0) second[f] = rest[f];
    }
    result.nodes.push_back(rank_features(table, path.enters[i], second));
  }
}

// Sets lambda.
void CoupledSelector::cross_validate(const SelectionInput& input, const Problem& problem, FeatureRanking& result,
                                     Context& ctx) {
  if (common_.cv_folds > input.data.samples()) {
    throw usage_error(fmt::format("`cv-folds`: '{}'", common_.cv_folds),
                      fmt::format("expected no more folds than samples, of which there are {}", input.data.samples()));
  }
  const std::vector<double> lambdas = lambdas_of(problem, common_.path > 0 ? common_.path : kGridOfCrossValidation);
  const std::vector<int> folds = stratified_folds(input.data, common_.cv_folds, ctx.seed());
  const std::vector<double> errors = held_out_errors(
      input.data, input.tables, [this] { return make_method(); }, lambdas, folds, exact_options(problem), ctx);
  // Of equal errors the first: the largest lambda, and so the fewest features.
  const auto best = std::min_element(errors.begin(), errors.end()) - errors.begin();
  common_.lambda = lambdas[static_cast<std::size_t>(best)];
  result.notes.push_back(fmt::format(
      "lambda {:.6g}, number {} of {} from {:.6g} down to {:.6g}, by the squared error in {}-fold cross-validation",
      common_.lambda, best + 1, lambdas.size(), lambdas.front(), lambdas.back(), common_.cv_folds));
  if (best + 1 == std::ssize(lambdas) && lambdas.size() > 1) {
    result.notes.push_back("the chosen lambda is the smallest tried: a smaller `path-ratio` may do better");
  }
}

std::vector<double> CoupledSelector::lambdas_of(const Problem& problem, int values) const {
  const double largest = largest_lambda(problem);
  if (largest == 0) throw usage_error("no feature has anything to do with the labels", "expected features that vary");
  if (!std::isfinite(largest)) {
    throw usage_error("values are too large to compute with", "expected scaled features: `scale` standard");
  }
  return lambda_grid(largest, values, common_.path_ratio);
}

std::unique_ptr<CoupledMethod> CoupledSelector::method_with_loss() const {
  std::unique_ptr<CoupledMethod> method = make_method();
  if (common_.loss == CoupledLoss::kSquares) return method;
  return std::make_unique<LogisticLoss>(std::move(method));
}

std::vector<std::size_t> CoupledSelector::order(const Problem& problem) const {
  if (!common_.as_published) return solving_order(problem, SolvingOrder::kTopological);
  return solving_order(problem, habits_.orders_by_id_published ? SolvingOrder::kInputRootLast : SolvingOrder::kNamed);
}

ExactOptions CoupledSelector::exact_options(const Problem& problem) const {
  return {.lambda = common_.lambda, .tolerance = common_.gap, .order = order(problem)};
}

Error CoupledSelector::not_exact(std::string_view why, std::string_view expected) const {
  return usage_error(fmt::format("{} cannot be solved exactly: {}", name_, why), std::string(expected));
}

Error CoupledSelector::leaves_samples_out() const {
  return not_exact("its loss leaves samples out",
                   "expected `solver` irls without `path` and `select-lambda`, or another method");
}

void CoupledSelector::check() const {
  if (common_.loss == CoupledLoss::kLogistic && common_.as_published) {
    throw usage_error("`as-published` goes with squared errors: published programs know no other loss",
                      "expected either `as-published` or `loss` logistic");
  }
  if (common_.loss == CoupledLoss::kLogistic && common_.needs_exact()) {
    throw not_exact("its loss is not quadratic",
                    "expected `loss` squares, or `solver` irls without `path` and `select-lambda`");
  }
  if (!common_.needs_exact()) return;
  require_convex();
  if (common_.as_published) {
    throw usage_error("`as-published` has no exact solution: published programs iterate",
                      "expected either `as-published` or `solver` exact, `path` or `select-lambda`");
  }
}

NodeOwners CoupledSelector::owners_of(const SelectionInput& input, Context& ctx) const {
  Team* const team = team_of(ctx);
  if (team == nullptr || !shares_nodes()) return {};
  return {*team, node_costs(input.data.taxonomy(), input.tables, input.data.features(), common_.iterations)};
}

// Announces the memory that the work will take, and refuses what would not fit.
void CoupledSelector::check_memory(const SelectionInput& input, const NodeOwners& owners, Context& ctx) const {
  const MemoryNeeds needs{.features = input.data.features(),
                          .is_sparse = is_sparse(input.data.matrix()),
                          .threads = ctx.threads(),
                          .kept = kept_matrices(input),
                          .owners = owners};
  constexpr double kWorthSaying = 100 * 0x1p20;
  const double total = plan_memory(input.tables, needs).total();
  if (total > kWorthSaying) ctx.info(fmt::format("memory: about {} beside the data", bytes_text(total)));
  if (input.memory > 0) require_memory(input.tables, needs, input.memory);
}

// If the coupling is too strong, weights grow without bound until a system cannot be solved.
SolverResult CoupledSelector::solve_or_explain(Problem& problem, CoupledMethod& method, Context& ctx) const {
  SolverOptions solver;
  if (problem.owners().is_shared()) {
    solver.complete_level = [&](int level) { problem.complete_level(level, ctx); };
  }
  solver.lambda = common_.lambda;
  solver.smallest_norm = habits_.smallest_norm;
  solver.iterations = common_.iterations;
  solver.tolerance = common_.tolerance;
  solver.is_penalty_fixed = common_.as_published && habits_.fixes_penalty_published;
  solver.order = order(problem);
  Weights start = make_start(problem, common_.start, ctx.seed(), solver.order, habits_.root_starts_first);
  try {
    return solve(problem, method, std::move(start), solver, ctx);
  } catch (const Error& error) {
    const std::optional<Error> explained = no_minimum();
    if (explained && error.kind() == Error::Kind::kInput) throw *explained;
    throw;
  }
}

void CoupledSelector::note_trouble(const Problem& problem, const SolverResult& solved, FeatureRanking& result) const {
  if (!solved.indefinite.empty()) {
    const std::string eigenvalue =
        solved.smallest_eigenvalue ? fmt::format(" (smallest eigenvalue {:.2g})", *solved.smallest_eigenvalue) : "";
    result.notes.push_back(fmt::format("systems that are indefinite: {} of {}{}; {}", solved.indefinite.size(),
                                       problem.size(), eigenvalue, why_indefinite()));
  }
  const std::optional<Error> explained = no_minimum();
  if (!explained) return;
  // Without a minimum the objective rises, stops being finite, or falls below anything that data could explain.
  double labels = 0;
  for (std::size_t i = 0; i < problem.size(); ++i) labels += problem.node(i).squared_labels;
  const auto& objective = solved.objective;
  const bool rises = objective.size() > 1 && objective.back() > objective.front() + 1e-6 * std::abs(objective.front());
  const bool is_number = std::all_of(objective.begin(), objective.end(), [](double v) { return std::isfinite(v); });
  if (!rises && is_number && objective.back() >= -labels) return;
  // Published programs never look at the objective.
  if (!common_.as_published) throw *explained;
  result.notes.push_back(
      "the objective has no minimum: the weights are those of the last iteration, and would grow on");
}

}  // namespace clade
