#include <clade/split.h>
#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "core/memory_size.h"
#include "core/parallel.h"
#include "select/ranking.h"
#include "select/recursive/exact.h"
#include "select/recursive/fs_mgkc.h"
#include "select/recursive/hfscn.h"
#include "select/recursive/hfsdk.h"
#include "select/recursive/hfsgr.h"
#include "select/recursive/hirr.h"
#include "select/recursive/lambda_path.h"
#include "select/recursive/lccshfs.h"
#include "select/recursive/memory_plan.h"
#include "select/recursive/solver.h"
#include "select/recursive/start.h"
#include "select/selector.h"

namespace clade {
namespace {

constexpr Choice<Start> kStartWords[] = {{Start::kOnes, "ones"}, {Start::kRandom, "random"}};
constexpr Choice<SolverKind> kSolverWords[] = {{SolverKind::kIrls, "irls"}, {SolverKind::kExact, "exact"}};
constexpr Choice<LambdaChoice> kLambdaWords[] = {{LambdaChoice::kGiven, "given"},
                                                 {LambdaChoice::kCrossValidation, "cv"}};
constexpr int kGridOfCrossValidation = 20;  // values of lambda, where --path names no other number
constexpr Choice<Similarity> kSimilarityWords[] = {{Similarity::kSamples, "samples"},
                                                   {Similarity::kAncestors, "ancestors"}};
constexpr Choice<Redundancy> kRedundancyWords[] = {{Redundancy::kDistances, "distances"}, {Redundancy::kPsd, "psd"}};

// Everything any method of the family can be told; each describes the part that concerns it.
struct Options {
  RecursiveOptions common;
  double alpha = 1;
  double beta = 1;
  double cap = 0.1;
  double power = 2;
  Similarity similarity = Similarity::kSamples;
  bool output_common = false;
  Redundancy redundancy = Redundancy::kDistances;
};

// How a method of the family differs from hier-fs.
struct Traits {
  std::string_view name;
  bool has_alpha = false;
  bool has_beta = false;
  bool has_cap = false;
  bool has_power = false;
  bool has_similarity = false;
  bool has_redundancy = false;
  bool root_starts_first = false;
  bool has_slips = false;    // as published, the penalty stays as it starts and padding is ranked
  bool can_diverge = false;  // the coupling can take the minimum away
  double smallest_norm = 1e-8;
  std::string_view not_convex;  // why its node problems are not convex; empty: they are
  std::function<std::unique_ptr<CoupledMethod>(const Options&)> make;
};

struct DescribedOptions {
  Options& options;
  const Traits& traits;
};

template <class V>
void describe(V& v, DescribedOptions& d) {
  Options& o = d.options;
  v("lambda", o.common.lambda, positive(), "weight of the group penalty; larger keeps fewer features");
  if (d.traits.has_alpha) v("alpha", o.alpha, nonnegative(), "weight of the first coupling");
  if (d.traits.has_beta) v("beta", o.beta, nonnegative(), "weight of the second coupling");
  if (d.traits.has_cap) v("cap", o.cap, between(0, 0.99), "share of the samples that is left out as noise");
  if (d.traits.has_power) v("power", o.power, positive(), "power of the residual norm in the loss");
  if (d.traits.has_similarity) {
    v("similarity", o.similarity, kSimilarityWords, "how alike two nodes are: by their samples or by their ancestors");
    v("output-common", o.output_common, "also list what a node has in common with its parents: their features");
  }
  if (d.traits.has_redundancy) {
    v("redundancy", o.redundancy, kRedundancyWords,
      "distances between features (can make the system indefinite) or the positive semidefinite form");
  }
  v("iterations", o.common.iterations, between(1, 100000), "iterations of the solver");
  v("tolerance", o.common.tolerance, nonnegative(), "stop when the objective falls by less than this share; 0: never");
  v("start", o.common.start, kStartWords, "weights to begin with: all ones, or random (by `seed`)");
  v("as-published", o.common.as_published, "do as the published program does, its slips included");
  v("solver", o.common.solver, kSolverWords,
    "irls: the iterations alone; exact: then on to the minimum, with a certificate");
  v("gap", o.common.gap, positive(), "exact solver: relative duality gap to stop at");
  v("path", o.common.path, between(0, 10000),
    "rank by the order in which features enter over so many falling values of lambda; 0: one lambda");
  v("path-ratio", o.common.path_ratio, inside(0, 1), "last lambda of the path relative to the first");
  v("select-lambda", o.common.select_lambda, kLambdaWords,
    "given: `lambda`; cv: the value of the path with the least squared error in cross-validation");
  v("cv-folds", o.common.cv_folds, between(2, 1000), "folds of `select-lambda` cv");
}

// What is not a number was left to the data; only lccshfs does: its published settings for trees and for DAGs.
Options with_defaults(Options options, bool is_tree) {
  if (std::isnan(options.common.lambda)) options.common.lambda = is_tree ? 10 : 100;
  if (std::isnan(options.alpha)) options.alpha = is_tree ? 0.1 : 0.001;
  return options;
}

std::vector<double> row_norms(const Matrix& w) {
  const Vector norms = w.rowwise().norm();
  return {norms.begin(), norms.end()};
}

// Features by the mean of their norms at the node's parents.
std::vector<FeatureIndex> common_features(const Problem& problem, const Weights& w, std::size_t i) {
  const auto& parents = problem.parents(i);
  if (parents.empty()) return {};
  Vector norms = Vector::Zero(problem.features());
  for (const std::size_t parent : parents) {
    norms += w[parent].leftCols(problem.node(parent).classes()).rowwise().norm();
  }
  return rank_features(*problem.node(i).table, std::vector<double>(norms.begin(), norms.end())).ranking;
}

class RecursiveSelector : public Selector {
 public:
  RecursiveSelector(Traits traits, const Options& defaults)
      : traits_(std::move(traits)), options_(defaults), described_{options_, traits_} {}

  ParameterTable parameters() override { return ParameterTable(described_); }

  std::vector<Idle> idle_parameters() const override {
    const RecursiveOptions& common = options_.common;
    const bool is_chosen = common.select_lambda == LambdaChoice::kCrossValidation;
    std::vector<Idle> idle;
    if (!common.needs_exact()) idle.push_back({"gap", "without `solver` exact, `path` or `select-lambda` cv"});
    if (!is_chosen) idle.push_back({"cv-folds", "without `select-lambda` cv"});
    if (!is_chosen && common.path == 0) idle.push_back({"path-ratio", "without `path` or `select-lambda` cv"});
    if (is_chosen) idle.push_back({"lambda", "with `select-lambda` cv, which chooses it"});
    if (!is_chosen && common.path > 0) idle.push_back({"lambda", "with `path`, which tries many"});
    return idle;
  }

  FeatureRanking select(const SelectionInput& input, Context& ctx) override {
    options_ = with_defaults(options_, input.data.taxonomy().is_tree());
    if (options_.common.needs_exact()) check_exact();
    check_memory(input, ctx);
    const Problem problem(input.data, input.tables, ctx);
    FeatureRanking result;
    if (options_.common.select_lambda == LambdaChoice::kCrossValidation) {
      cross_validate(input, problem, result, ctx);
    } else if (options_.common.path > 0) {
      rank_by_path(input, problem, result, ctx);
      return result;
    }
    rank_at_lambda(input, problem, result, ctx);
    return result;
  }

 private:
  void rank_at_lambda(const SelectionInput& input, const Problem& problem, FeatureRanking& result, Context& ctx) {
    const std::unique_ptr<CoupledMethod> method = traits_.make(options_);
    SolverOptions solver;
    solver.lambda = options_.common.lambda;
    solver.smallest_norm = traits_.smallest_norm;
    solver.iterations = options_.common.iterations;
    solver.tolerance = options_.common.tolerance;
    solver.is_penalty_fixed = options_.common.as_published && traits_.has_slips;
    solver.order = solving_order(problem, options_.common.as_published);
    Weights start = make_start(problem, options_.common.start, ctx.seed(), solver.order, traits_.root_starts_first);
    SolverResult solved = solve_or_explain(problem, *method, std::move(start), solver, ctx);
    result.objective = solved.objective;
    note_trouble(problem, solved, result);
    if (options_.common.solver == SolverKind::kExact) {
      ExactResult exact = solve_exactly(problem, *method, std::move(solved.weights), exact_options(problem), ctx);
      result.objective.insert(result.objective.end(), exact.objective.begin(), exact.objective.end());
      note_gap(exact.gap, exact.is_converged, result);
      solved.weights = std::move(exact.weights);
    }
    // Columns beyond a node's own children only pad; one published program ranked by them as well.
    const bool counts_padding = options_.common.as_published && traits_.has_slips;
    std::vector<std::size_t> asked_for;
    for (std::size_t i = 0; i < problem.size(); ++i) {
      if (input.is_asked_for(input.tables[i].node)) asked_for.push_back(i);
    }
    result.nodes.resize(asked_for.size());
    parallel_for(ctx, std::ssize(asked_for), 1, [&](Index k, Index) {
      const std::size_t i = asked_for[static_cast<std::size_t>(k)];
      NodeRanking& ranking = result.nodes[static_cast<std::size_t>(k)];
      const NodeTable& table = input.tables[i];
      const Index columns = counts_padding ? problem.width() : table.classes();
      const std::vector<double> norms = row_norms(solved.weights[i].leftCols(columns));
      ranking = options_.common.solver == SolverKind::kExact
                    ? rank_features(table, norms, residual_correlations(problem.node(i), solved.weights[i]))
                    : rank_features(table, norms);
      if (options_.output_common) ranking.common = common_features(problem, solved.weights, i);
    });
  }

  // Features by the lambda at which they enter; among equals by weight at the last lambda; those that never enter by
  // what they could still explain.
  void rank_by_path(const SelectionInput& input, const Problem& problem, FeatureRanking& result, Context& ctx) {
    const std::vector<double> lambdas = grid(problem, options_.common.path);
    const std::unique_ptr<CoupledMethod> method = traits_.make(options_);
    method->prepare(problem, ctx);
    const LambdaPath path = follow_path(problem, *method, lambdas, exact_options(problem), {}, ctx);
    result.objective = path.objective;
    note_gap(path.gap, path.is_converged, result);
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
  void cross_validate(const SelectionInput& input, const Problem& problem, FeatureRanking& result, Context& ctx) {
    const RecursiveOptions& common = options_.common;
    if (common.cv_folds > input.data.samples()) {
      throw usage_error(
          fmt::format("`cv-folds`: '{}'", common.cv_folds),
          fmt::format("expected no more folds than samples, of which there are {}", input.data.samples()));
    }
    const std::vector<double> lambdas = grid(problem, common.path > 0 ? common.path : kGridOfCrossValidation);
    const std::vector<int> folds = stratified_folds(input.data, common.cv_folds, ctx.seed());
    const std::vector<double> errors = held_out_errors(
        input.data, input.tables, [this] { return traits_.make(options_); }, lambdas, folds, exact_options(problem),
        ctx);
    // Of equal errors the first: the largest lambda, the fewest features.
    const auto best = std::min_element(errors.begin(), errors.end()) - errors.begin();
    options_.common.lambda = lambdas[static_cast<std::size_t>(best)];
    result.notes.push_back(fmt::format(
        "lambda {:.6g}, number {} of {} from {:.6g} down to {:.6g}, by the squared error in {}-fold cross-validation",
        options_.common.lambda, best + 1, lambdas.size(), lambdas.front(), lambdas.back(), common.cv_folds));
    if (best + 1 == std::ssize(lambdas) && lambdas.size() > 1) {
      result.notes.push_back("the chosen lambda is the smallest tried: a smaller `path-ratio` may do better");
    }
  }

  std::vector<double> grid(const Problem& problem, int values) const {
    const double largest = largest_lambda(problem);
    if (largest == 0) throw usage_error("no feature has anything to do with the labels", "expected features that vary");
    if (!std::isfinite(largest)) {
      throw usage_error("values are too large to compute with", "expected scaled features: `scale` standard");
    }
    return lambda_grid(largest, values, options_.common.path_ratio);
  }

  ExactOptions exact_options(const Problem& problem) const {
    return {.lambda = options_.common.lambda,
            .tolerance = options_.common.gap,
            .order = solving_order(problem, options_.common.as_published)};
  }

  void check_exact() const {
    if (!traits_.not_convex.empty()) {
      throw usage_error(fmt::format("{} cannot be solved exactly: {}", traits_.name, traits_.not_convex),
                        "expected `solver` irls without `path` and `select-lambda`, or another method");
    }
    if (traits_.has_redundancy && options_.redundancy == Redundancy::kDistances && options_.beta > 0) {
      throw usage_error(
          fmt::format("{} cannot be solved exactly: distances between features are not convex", traits_.name),
          "expected `redundancy` psd, or `solver` irls without `path` and `select-lambda`");
    }
    if (options_.common.as_published) {
      throw usage_error("`as-published` has no exact solution: published programs iterate",
                        "expected either `as-published` or `solver` exact, `path` or `select-lambda`");
    }
  }

  static void note_gap(double gap, bool is_converged, FeatureRanking& result) {
    if (std::isfinite(gap)) result.gap = gap;
    if (!is_converged) {
      result.notes.push_back(std::isfinite(gap)
                                 ? fmt::format("the exact solver stopped early, at a relative gap of {:.2g}", gap)
                                 : "the exact solver has no certificate: the coupling is large for these data");
    }
  }

  // Says what the work will take, and refuses what would not fit.
  void check_memory(const SelectionInput& input, Context& ctx) const {
    const bool keeps_distances =
        traits_.has_redundancy && options_.beta > 0 && options_.redundancy == Redundancy::kDistances;
    const bool has_siblings = traits_.has_beta && !traits_.has_redundancy && options_.beta > 0;
    const MemoryNeeds needs{
        .features = input.data.features(),
        .is_sparse = is_sparse(input.data.matrix()),
        .threads = ctx.threads(),
        .has_full_terms = keeps_distances,
        .kept_sums = has_siblings ? kept_sibling_sums(input.data.taxonomy(), input.tables, input.data.features()) : 0};
    constexpr double kWorthSaying = 100 * 0x1p20;
    const double total = plan_memory(input.tables, needs).total();
    if (total > kWorthSaying) ctx.info(fmt::format("memory: about {} beside the data", bytes_text(total)));
    if (input.memory > 0) require_memory(input.tables, needs, input.memory);
  }

  // A coupling that is too strong makes weights grow without end until a system cannot be solved.
  SolverResult solve_or_explain(const Problem& problem, CoupledMethod& method, Weights start,
                                const SolverOptions& options, Context& ctx) const {
    try {
      return solve(problem, method, std::move(start), options, ctx);
    } catch (const Error& error) {
      if (traits_.can_diverge && error.kind() == Error::Kind::kInput) throw divergence();
      throw;
    }
  }

  Error divergence() const {
    return usage_error(
        fmt::format("{} diverges with alpha {}: its objective has no minimum", traits_.name, options_.alpha),
        "expected a smaller `alpha`, or a larger `lambda`");
  }

  std::string_view advice_for_indefinite() const {
    if (!traits_.has_redundancy) return "parameters of such size are lost to rounding";
    return options_.redundancy == Redundancy::kPsd
               ? "a beta of such size is lost to rounding"
               : "beta is large for these data, and `redundancy` psd is the sound form";
  }

  void note_trouble(const Problem& problem, const SolverResult& solved, FeatureRanking& result) const {
    if (!solved.indefinite.empty()) {
      const std::string eigenvalue =
          solved.smallest_eigenvalue ? fmt::format(" (smallest eigenvalue {:.2g})", *solved.smallest_eigenvalue) : "";
      result.notes.push_back(fmt::format("systems that are indefinite: {} of {}{}; {}", solved.indefinite.size(),
                                         problem.size(), eigenvalue, advice_for_indefinite()));
    }
    if (!traits_.can_diverge) return;
    // Without a minimum the objective rises, stops being a number, or falls below what no data can explain.
    double labels = 0;
    for (std::size_t i = 0; i < problem.size(); ++i) labels += problem.node(i).squared_labels;
    const auto& objective = solved.objective;
    const bool rises =
        objective.size() > 1 && objective.back() > objective.front() + 1e-6 * std::abs(objective.front());
    const bool is_number = std::all_of(objective.begin(), objective.end(), [](double v) { return std::isfinite(v); });
    if (rises || !is_number || objective.back() < -labels) {
      throw divergence();
    }
  }

  Traits traits_;
  Options options_;
  DescribedOptions described_;
};

Hirr::Coupling hirr_coupling(const Options& o, bool has_parents, bool has_siblings, bool couples_root) {
  return {.alpha = has_parents ? o.alpha : 0,
          .beta = has_siblings ? o.beta : 0,
          .couples_root = couples_root || !o.common.as_published,
          .couples_children = !o.common.as_published};
}

FsMgkc::Coupling mgkc_coupling(const Options& o, bool has_links, bool has_redundancy) {
  return {.alpha = has_links ? o.alpha : 0,
          .beta = has_redundancy ? o.beta : 0,
          .redundancy = o.redundancy,
          .as_published = o.common.as_published};
}

std::unique_ptr<Selector> make_mgkc(std::string_view name, bool has_links, bool has_redundancy) {
  Options defaults;
  defaults.alpha = 10;
  return std::make_unique<RecursiveSelector>(
      Traits{
          .name = name,
          .has_alpha = has_links,
          .has_beta = has_redundancy,
          .has_redundancy = has_redundancy,
          .root_starts_first = true,
          .make =
              [=](const Options& o) { return std::make_unique<FsMgkc>(mgkc_coupling(o, has_links, has_redundancy)); }},
      defaults);
}

}  // namespace

std::unique_ptr<Selector> make_hier_fs() {
  return std::make_unique<RecursiveSelector>(
      Traits{.name = "hier-fs", .make = [](const Options&) { return std::make_unique<Hirr>(Hirr::Coupling{}); }},
      Options{});
}

std::unique_ptr<Selector> make_hirr_par() {
  return std::make_unique<RecursiveSelector>(
      Traits{.name = "hirr-par",
             .has_alpha = true,
             .make = [](const Options& o) { return std::make_unique<Hirr>(hirr_coupling(o, true, false, false)); }},
      Options{});
}

std::unique_ptr<Selector> make_hirr_sib() {
  return std::make_unique<RecursiveSelector>(
      Traits{.name = "hirr-sib",
             .has_beta = true,
             .make = [](const Options& o) { return std::make_unique<Hirr>(hirr_coupling(o, false, true, false)); }},
      Options{});
}

std::unique_ptr<Selector> make_hirr_fam() {
  return std::make_unique<RecursiveSelector>(
      Traits{.name = "hirr-fam",
             .has_alpha = true,
             .has_beta = true,
             .make = [](const Options& o) { return std::make_unique<Hirr>(hirr_coupling(o, true, true, true)); }},
      Options{});
}

std::unique_ptr<Selector> make_hfsgr() {
  Options defaults;
  defaults.common.lambda = 1;
  return std::make_unique<RecursiveSelector>(
      Traits{.name = "hfsgr",
             .has_beta = true,
             .root_starts_first = true,
             .make = [](const Options& o) { return std::make_unique<Hfsgr>(o.beta); }},
      defaults);
}

std::unique_ptr<Selector> make_lccshfs() {
  Options defaults;
  defaults.common.lambda = std::numeric_limits<double>::quiet_NaN();
  defaults.alpha = std::numeric_limits<double>::quiet_NaN();
  return std::make_unique<RecursiveSelector>(
      Traits{.name = "lccshfs",
             .has_alpha = true,
             .has_similarity = true,
             .can_diverge = true,
             .make = [](const Options& o) { return std::make_unique<Lccshfs>(o.alpha, o.similarity); }},
      defaults);
}

std::unique_ptr<Selector> make_fs_mgkc() {
  return make_mgkc("fs-mgkc", true, true);
}
std::unique_ptr<Selector> make_fs_base() {
  return make_mgkc("fs-base", false, false);
}
std::unique_ptr<Selector> make_fs_mc() {
  return make_mgkc("fs-mc", true, false);
}
std::unique_ptr<Selector> make_fs_dr() {
  return make_mgkc("fs-dr", false, true);
}

std::unique_ptr<Selector> make_hfscn() {
  return std::make_unique<RecursiveSelector>(
      Traits{.name = "hfscn",
             .has_alpha = true,
             .has_cap = true,
             .smallest_norm = std::numeric_limits<double>::epsilon(),
             .not_convex = "its loss leaves samples out",
             .make =
                 [](const Options& o) { return std::make_unique<Hfscn>(hirr_coupling(o, true, false, false), o.cap); }},
      Options{});
}

std::unique_ptr<Selector> make_hfsdk() {
  Options defaults;
  defaults.common.iterations = 40;
  return std::make_unique<RecursiveSelector>(
      Traits{.name = "hfsdk",
             .has_beta = true,
             .has_power = true,
             .has_slips = true,
             .not_convex = "its loss leaves samples out",
             .make =
                 [](const Options& o) {
                   return std::make_unique<Hfsdk>(Hfsdk::Settings{.beta = o.beta,
                                                                  .power = o.power,
                                                                  .iterations = o.common.iterations,
                                                                  .has_children = !o.common.as_published});
                 }},
      defaults);
}

}  // namespace clade
