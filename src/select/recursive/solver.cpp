#include "select/recursive/solver.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>

#include "comm/collectives.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "math/symmetric_product.h"
#include "select/recursive/kept_factors.h"
#include "select/recursive/node_factor.h"

namespace clade {
namespace {

constexpr Index kNodesPerTask = 16;      // many are small
constexpr Index kLargeWeights = 32768;   // numbers, from which on one node is enough
constexpr Index kColumnsPerTask = 8;     // their part of all weights should stay in the cache
constexpr double kMostFactors = 0x1p25;  // numbers to keep for solving by columns

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
std::unique_ptr<ColumnCoupling> CoupledMethod::in_columns(const Weights& /*w*/, Index /*first*/,
                                                          Index /*count*/) const {
  return nullptr;
}
void CoupledMethod::node_changed(std::size_t /*i*/, const Matrix& /*before*/, const Matrix& /*after*/) {}
void CoupledMethod::begin_iteration(int /*iteration*/, const Weights& /*w*/, Context& /*ctx*/) {}
double CoupledMethod::fit(std::size_t i, const Matrix& w) const {
  return squared_error(problem_->node(i), w, *ctx_);
}

double squared_error(const NodeProblem& node, const Matrix& w, Context& ctx) {
  if (node.is_tall) {
    const Matrix image = symmetric_product(node.gram, w, ctx) - 2 * node.right;
    return w.cwiseProduct(image).sum() + node.squared_labels;
  }
  if (node.samples() == 0) return 0;
  Matrix residual = node.sparse.cols() > 0 ? Matrix(node.sparse.transpose() * w) : Matrix(node.dense.transpose() * w);
  for (Index r = 0; r < node.samples(); ++r) {
    for (const std::int32_t column : node.table->labels(r)) residual(r, column) -= 1;
  }
  return residual.squaredNorm();
}

namespace {

// One run of solve().
class Reweighting {
 public:
  Reweighting(const Problem& problem, CoupledMethod& method, Weights start, const SolverOptions& options, Context& ctx)
      : problem_(problem),
        method_(method),
        options_(options),
        ctx_(ctx),
        w_(std::move(start)),
        diagonals_(w_.size()),
        was_indefinite_(w_.size(), 0),
        needs_double_(w_.size(), options.in_double ? 1 : 0),
        kept_(options.in_double),
        kept_in_double_(w_.size(), 0),
        progress_(ctx, "selecting", static_cast<Index>(w_.size()) * options.iterations) {
    method_.prepare(problem, ctx);
    if (method_.is_apart_in_columns() && factor_size(problem) <= kMostFactors) factors_.resize(w_.size());
    if (factors_.empty()) groups_ = waves(method, options.order);
    keeps_factors_ = factors_.empty() && can_keep_factors();
  }

  SolverResult run() {
    SolverResult result;
    set_diagonals();
    method_.move_start(w_);
    const std::string job = problem_.owners().is_shared() ? problem_.owners().team().next_job("weights") : "";
    if (is_apart()) {
      result.objective = solve_apart();
    } else {
      for (int level = 1; level < problem_.levels(); ++level) complete(level);
      iterate(job, result.objective);
    }
    // The last one as everybody else computes it, to the last digit.
    if (!parts_.empty() || keeps_factors_) result.objective.back() = objective();
    for (std::size_t i = 0; i < w_.size(); ++i) {
      if (was_indefinite_[i] != 0) result.indefinite.push_back(i);
    }
    constexpr Index kMostFeatures = 2000;  // beyond it the eigenvalue costs more than all iterations
    if (!result.indefinite.empty() && problem_.features() <= kMostFeatures) {
      const std::size_t i = result.indefinite[0];
      if (problem_.owners().is_own(i)) {
        result.smallest_eigenvalue = smallest_eigenvalue(problem_.node(i), terms_of(i), ctx_);
      }
      problem_.owners().exchange(
          {i}, [&](std::size_t, ByteWriter& bytes) { bytes.put(*result.smallest_eigenvalue); },
          [&](std::size_t, ByteReader& bytes) { result.smallest_eigenvalue = bytes.get<double>(); });
    }
    result.weights = std::move(w_);
    return result;
  }

 private:
  // All iterations that are not done yet.
  void iterate(const std::string& job, std::vector<double>& done) {
    done = restore(job);
    for (int t = static_cast<int>(done.size()); t < options_.iterations && !is_settled(done);) {
      if (t > 0 && !options_.is_penalty_fixed) set_diagonals();
      done.push_back(iterate(t));
      keep(job, ++t, done);
    }
  }

  // Is there no reason for a node to know how far the others are? A run that is kept goes on from an iteration of all.
  bool is_apart() const {
    return method_.is_uncoupled() && options_.tolerance == 0 && factors_.empty() && !keeps_factors_ &&
           work_folder() == nullptr;
  }

  // Every node by itself, from the first iteration to the last; those that wait for matrices of other processes come
  // last. Returns the objective after each iteration.
  std::vector<double> solve_apart() {
    std::vector<double> share(w_.size() * static_cast<std::size_t>(options_.iterations));  // of node and iteration
    for (int level = 0; level < problem_.levels(); ++level) {
      if (level > 0) complete(level);
      std::vector<std::size_t> own;
      for (std::size_t i = 0; i < w_.size(); ++i) {
        if (problem_.level(i) == level && problem_.owners().is_own(i)) own.push_back(i);
      }
      for_each_node(ctx_, own.size(),
                    [&](std::size_t number) { solve_alone(own[number], shares_of(share, own[number])); });
    }
    std::vector<std::size_t> all(w_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    errors_.assign(w_.size(), std::nullopt);
    exchange(all, w_);
    problem_.owners().exchange(
        all, [&](std::size_t i, ByteWriter& bytes) { bytes.put(std::span<const double>(shares_of(share, i))); },
        [&](std::size_t i, ByteReader& bytes) {
          std::ranges::copy(bytes.get<std::vector<double>>(), shares_of(share, i).begin());
          progress_.advance(options_.iterations - 1);
        });
    std::vector<double> objective(static_cast<std::size_t>(options_.iterations), 0);
    for (std::size_t i = 0; i < w_.size(); ++i) {
      std::ranges::transform(objective, shares_of(share, i), objective.begin(), std::plus<>());
    }
    return objective;
  }

  std::span<double> shares_of(std::vector<double>& share, std::size_t i) const {
    const auto iterations = static_cast<std::size_t>(options_.iterations);
    return std::span(share).subspan(i * iterations, iterations);
  }

  void solve_alone(std::size_t i, std::span<double> share) {
    for (std::size_t t = 0; t < share.size(); ++t) {
      ctx_.check_cancelled();
      if (t > 0 && !options_.is_penalty_fixed) diagonals_[i] = penalty_diagonal(w_[i], options_);
      take(i, solve_system(problem_.node(i), terms_of(i), workspaces_, ctx_), w_[i]);
      share[t] = fit_and_penalty(i);
      progress_.advance();
    }
  }

  void take(std::size_t i, Solution solution, Matrix& weights) {
    if (solution.was_indefinite) was_indefinite_[i] = 1;
    if (solution.needed_double) needs_double_[i] = 1;
    weights = std::move(solution.weights);
  }

  double fit_and_penalty(std::size_t i) const {
    return method_.fit(i, w_[i]) + options_.lambda * w_[i].rowwise().norm().sum();
  }

  void complete(int level) const {
    if (options_.complete_level) options_.complete_level(level);
  }

  void set_diagonals() {
    parallel_for(ctx_, std::ssize(w_), nodes_per_task(), [&](Index begin, Index end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        diagonals_[i] = penalty_diagonal(w_[i], options_);
      }
    });
  }

  bool is_settled(const std::vector<double>& objective) const {
    if (options_.tolerance == 0 || objective.size() < 2) return false;
    const double last = objective[objective.size() - 2];
    return last - objective.back() < options_.tolerance * std::abs(last);
  }

  // What an iteration begins with goes into the work folder, if there is one. The one before stays there until the next
  // is whole.
  void keep(const std::string& job, int iterations, const std::vector<double>& objective) const {
    const WorkFolder* const folder = work_folder();
    if (folder == nullptr || !problem_.owners().team().leads()) return;
    ByteWriter bytes;
    bytes.put(objective).put(was_indefinite_).put(needs_double_).put(kept_in_double_);
    for (const Matrix& own : w_) bytes.put(std::span<const double>(own.data(), static_cast<std::size_t>(own.size())));
    folder->keep(job, iterations % 2, bytes.take());
  }

  // The objective so far, of a run that goes on.
  std::vector<double> restore(const std::string& job) {
    if (work_folder() == nullptr) return {};
    std::string latest;
    std::size_t most = 0;
    for (const Index piece : {0, 1}) {
      if (!problem_.owners().team().leads()) continue;
      const std::optional<std::string> found = work_folder()->find(job, piece);
      const std::size_t done = found ? ByteReader(*found).get<std::vector<double>>().size() : 0;
      if (done > most) latest = *found;
      most = std::max(most, done);
    }
    broadcast(problem_.owners().team().processes(), 0, latest);
    if (latest.empty()) return {};
    std::vector<double> objective;
    ByteReader bytes(latest);
    bytes.get(objective).get(was_indefinite_).get(needs_double_).get(kept_in_double_);
    for (Matrix& own : w_) {
      const std::string_view values = bytes.bytes();
      std::memcpy(own.data(), values.data(), values.size());
    }
    if (keeps_factors_) kept_.set_in_double(kept_in_double_);
    return objective;
  }

  const WorkFolder* work_folder() const {
    return problem_.owners().is_shared() ? problem_.owners().team().folder() : nullptr;
  }

  // Solves all nodes once, and returns the objective.
  double iterate(int t) {
    if (factors_.empty() || !factor_all()) {
      if (groups_.empty()) groups_ = waves(method_, options_.order);
      parts_.clear();
      solve_by_nodes(t);
      const bool knows_all = std::ranges::all_of(errors_, [](const auto& error) { return error.has_value(); });
      if (!knows_all) return objective();
      double sum = penalty();
      for (const std::optional<double>& error : errors_) sum += *error;
      return sum + method_.value(w_);
    }
    return solve_by_columns(t) + penalty();
  }

  // joint_objective(), where every process knows the fit of its own nodes.
  double objective() const {
    const NodeOwners& owners = problem_.owners();
    if (!owners.is_shared()) return joint_objective(method_, w_, options_.lambda, ctx_);
    std::vector<double> own(w_.size());
    std::vector<std::size_t> all(w_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const auto fit = [&](Index i, Index) {
      const auto at = static_cast<std::size_t>(i);
      if (owners.is_own(at)) own[at] = fit_and_penalty(at);
    };
    parallel_for(ctx_, std::ssize(w_), 1, fit);
    owners.exchange(
        all, [&](std::size_t i, ByteWriter& bytes) { bytes.put(own[i]); },
        [&](std::size_t i, ByteReader& bytes) { bytes.get(own[i]); });
    return std::accumulate(own.begin(), own.end(), 0.0) + method_.value(w_);
  }

  // Nodes that wait for each other, or are wide, whose factors take little memory. A tall node alone gains nothing.
  bool can_keep_factors() const {
    bool gains = groups_.size() > 1;
    for (std::size_t i = 0; i < w_.size(); ++i) {
      if (!method_.multiple_of_identity(i)) return false;
      gains = gains || !problem_.node(i).is_tall;
    }
    return gains && KeptFactors::fit(problem_);
  }

  std::vector<Vector> matrix_diagonals() const {
    std::vector<Vector> diagonals = diagonals_;
    for (std::size_t i = 0; i < w_.size(); ++i) diagonals[i].array() += *method_.multiple_of_identity(i);
    return diagonals;
  }

  SystemTerms terms_of(std::size_t i) const {
    SystemTerms terms;
    terms.diagonal = diagonals_[i];
    terms.right = Matrix::Zero(problem_.features(), problem_.width());
    terms.in_double = needs_double_[i] != 0;
    method_.add_terms(i, w_, terms);
    return terms;
  }

  void solve_by_nodes(int t) {
    method_.begin_iteration(t, w_, ctx_);
    if (keeps_factors_) kept_.factor(problem_, matrix_diagonals(), ctx_);
    errors_.assign(w_.size(), std::nullopt);
    for (const auto& group : groups_) {
      std::vector<Matrix> solved(group.size());
      std::vector<std::size_t> own;
      for (std::size_t k = 0; k < group.size(); ++k) {
        if (problem_.owners().is_own(group[k])) own.push_back(k);
      }
      for_each_node(ctx_, own.size(), [&](std::size_t number) {
        const std::size_t k = own[number];
        const std::size_t i = group[k];
        const SystemTerms terms = terms_of(i);
        std::optional<Solution> kept;
        if (keeps_factors_) kept = kept_.solve(i, problem_.node(i), terms, ctx_);
        Solution solution = kept ? *std::move(kept) : solve_system(problem_.node(i), terms, workspaces_, ctx_);
        errors_[i] = solution.squared_error;
        take(i, std::move(solution), solved[k]);
        progress_.advance();
      });
      exchange(group, solved);
      for (std::size_t k = 0; k < group.size(); ++k) {
        method_.node_changed(group[k], w_[group[k]], solved[k]);
        w_[group[k]] = std::move(solved[k]);
      }
    }
  }

  // The solutions of nodes that belong to other processes.
  void exchange(const std::vector<std::size_t>& group, std::vector<Matrix>& solved) {
    if (!problem_.owners().is_shared()) return;
    std::vector<std::size_t> place(w_.size());
    for (std::size_t k = 0; k < group.size(); ++k) place[group[k]] = k;
    problem_.owners().exchange(
        group,
        [&](std::size_t i, ByteWriter& bytes) {
          const Matrix& own = solved[place[i]];
          bytes.put(std::span<const double>(own.data(), static_cast<std::size_t>(own.size())));
          kept_in_double_[i] = kept_.is_in_double(i) ? 1 : 0;
          bytes.put(was_indefinite_[i]).put(needs_double_[i]).put(kept_in_double_[i]);
          bytes.put(errors_[i].has_value()).put(errors_[i].value_or(0));
        },
        [&](std::size_t i, ByteReader& bytes) {
          Matrix& other = solved[place[i]];
          other.resize(problem_.features(), problem_.width());
          const std::string_view values = bytes.bytes();
          std::memcpy(other.data(), values.data(), values.size());
          bytes.get(was_indefinite_[i]).get(needs_double_[i]).get(kept_in_double_[i]);
          const bool has_error = bytes.get<bool>();
          const auto error = bytes.get<double>();
          errors_[i] = has_error ? std::optional<double>(error) : std::nullopt;
          progress_.advance();
        });
  }

  double penalty() const {
    return parallel_reduce(
        ctx_, std::ssize(w_), nodes_per_task(), 0.0,
        [&](Index begin, Index end) {
          double part = 0;
          for (Index i = begin; i < end; ++i) part += w_[static_cast<std::size_t>(i)].rowwise().norm().sum();
          return options_.lambda * part;
        },
        [](double& total, double part) { total += part; });
  }

  Index nodes_per_task() const { return problem_.features() * problem_.width() > kLargeWeights ? 1 : kNodesPerTask; }

  // False if a system is indefinite.
  bool factor_all() {
    std::vector<char> is_factored(w_.size(), 0);
    parallel_for(ctx_, std::ssize(w_), kNodesPerTask, [&](Index begin, Index end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        is_factored[i] = factors_[i].set(problem_.node(i), diagonals_[i], ctx_) ? 1 : 0;
      }
    });
    return std::ranges::all_of(is_factored, [](char yes) { return yes != 0; });
  }

  // Goes through all nodes with a few columns at a time, which stay in the cache. Returns the objective without the
  // penalty.
  double solve_by_columns(int t) {
    // The coupling's sums are made anew ever more rarely: their rounding errors stem from large weights at the start.
    if (parts_.empty() || (t & (t - 1)) == 0) {
      parts_.clear();
      parts_.resize(static_cast<std::size_t>(chunk_count(problem_.width(), kColumnsPerTask)));
    }
    const double sum = parallel_reduce(
        ctx_, problem_.width(), kColumnsPerTask, 0.0, [&](Index first, Index end) { return solve_columns(first, end); },
        [](double& total, double part) { total += part; });
    progress_.advance(std::ssize(w_));
    return sum;
  }

  double solve_columns(Index first, Index end) {
    auto& part = parts_[static_cast<std::size_t>(first / kColumnsPerTask)];
    if (!part) part = method_.in_columns(w_, first, end - first);
    double fit = 0;
    Matrix change;
    Matrix solved;
    for (const std::size_t i : options_.order) {
      solved.setZero(problem_.features(), end - first);
      part->right(i, solved);
      fit += factors_[i].solve(problem_.node(i), first, solved, ctx_);
      auto own = w_[i].middleCols(first, end - first);
      change = solved - own;
      own = solved;
      part->changed(i, change);
    }
    return fit + part->value();
  }

  const Problem& problem_;
  CoupledMethod& method_;
  const SolverOptions& options_;
  Context& ctx_;
  Weights w_;
  std::vector<Vector> diagonals_;
  std::vector<char> was_indefinite_;
  std::vector<char> needs_double_;
  KeptFactors kept_;
  std::vector<char> kept_in_double_;  // of shared nodes
  std::vector<std::vector<std::size_t>> groups_;
  std::vector<NodeFactor> factors_;  // empty: node by node
  bool keeps_factors_ = false;
  std::vector<std::optional<double>> errors_;  // of the nodes' solutions, where they are known
  std::vector<std::unique_ptr<ColumnCoupling>> parts_;
  Workspaces workspaces_;
  Progress progress_;
};

}  // namespace

SolverResult solve(const Problem& problem, CoupledMethod& method, Weights start, const SolverOptions& options,
                   Context& ctx) {
  return Reweighting(problem, method, std::move(start), options, ctx).run();
}

}  // namespace clade
