#include "classify/joint/block_solver.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "classify/joint/joint_measure.h"
#include "classify/joint/pair_dual.h"
#include "classify/joint/pair_search.h"
#include "classify/joint/solver_progress.h"
#include "core/fetch_ahead.h"
#include "core/parallel.h"
#include "core/random.h"
#include "core/spares.h"

namespace clade {
namespace {

constexpr Index kVisited = 1;          // samples of a task
constexpr std::size_t kRanges = 48;    // of features, each changed by one task
constexpr std::size_t kAhead = 4;      // weights that are asked for before they are changed
constexpr std::size_t kNewPairs = 16;  // variables that may enter per visit
constexpr int kSteps = 100;            // on one sample's variables per visit
constexpr double kExactness = 0.05;    // a sample's own problem is solved to this share of the tolerance,
constexpr double kRoughly = 0.05;      // or of its violation, whichever is larger
constexpr double kMoving = 0.1;        // of the tolerance: samples that violate less do not move
constexpr double kSettling = 3;        // times the tolerance: once no sample violates more, those that violate less
constexpr double kResting = 0.5;       // than this share of it rest until all others do
constexpr double kTooFar = 0.7;        // a step is shortened if the best point lies before this share of it
constexpr double kMoreDamping = 1.5;   // for all samples after a step that went too far,
constexpr double kLessDamping = 0.98;  // and after one that did not
constexpr double kOftenTooFar = 0.25;  // of all steps, if they are many: samples are too alike for blocks
constexpr double kManySteps = 10;
constexpr int kMostPasses = 300;  // more of them, and one sample after the other is better

template <class T>
class BlockSolver {
 public:
  BlockSolver(const JointProblem& problem, LinearScores<T>& scores, std::span<const double> cost,
              JointVariables& variables, const JointSvmOptions& options, Index block, Context& ctx)
      : problem_(problem),
        scorer_(problem.attributes),
        scores_(scores),
        cost_(cost),
        variables_(variables),
        options_(options),
        ctx_(ctx),
        dual_(problem),
        search_(problem),
        random_(options.seed, {kSolverStream}),
        samples_(scores.samples()),
        slots_(static_cast<std::size_t>(block)),
        workers_(ctx.pool()) {
    violations_.assign(static_cast<std::size_t>(samples_), std::numeric_limits<double>::infinity());
    slacks_.assign(violations_.size(), 0);
    result_.pairs = count_pairs(problem, samples_);
    set_ranges();
  }

  BlockResult run() {
    if (options_.shows_progress) progress_.emplace(ctx_, options_.tolerance);
    sum_up();
    std::vector<std::int32_t> all(static_cast<std::size_t>(samples_));
    std::iota(all.begin(), all.end(), 0);
    std::vector<std::int32_t> order;
    double resting = 0;  // samples with smaller violations rest
    double moving = kMoving * options_.tolerance;
    for (int number = 0; number < options_.iterations; ++number) {
      random_.shuffle(std::span(all));
      order.clear();
      std::ranges::copy_if(all, std::back_inserter(order),
                           [&](std::int32_t i) { return violations_[static_cast<std::size_t>(i)] >= resting; });
      const Pass pass = visit(order, moving);
      const double worst = pass.sums.violation;
      report(worst);
      const bool has_ended = worst <= options_.tolerance;
      if (has_ended && pass.moved == 0 && order.size() == all.size()) {
        // Nothing has changed: all was seen at the same weights.
        pass.sums.put_into(result_);
        result_.active = count_active(variables_);
        result_.has_converged = true;
        return {std::move(result_), false};
      }
      if (number + 1 == kMostPasses || (shortened_ >= kManySteps && shortened_ > kOftenTooFar * steps_)) {
        result_.active = count_active(variables_);
        return {std::move(result_), true};
      }
      // Once those that do not rest have come to their end, all are looked at, and move only if they must.
      moving = (has_ended ? 1 : kMoving) * options_.tolerance;
      const bool rests = !has_ended && worst <= kSettling * options_.tolerance;
      resting = rests ? kResting * options_.tolerance : 0;
    }
    measured(problem_, scores_, cost_, variables_, ctx_).put_into(result_);
    result_.active = count_active(variables_);
    result_.has_converged = result_.violation <= options_.tolerance;
    return {std::move(result_), false};
  }

 private:
  using Starts = std::array<std::int32_t, kRanges + 1>;

  // What was seen and done in a pass.
  struct Pass {
    JointSums sums;
    Index moved = 0;  // samples
  };

  // What became of a sample of the block.
  struct Slot {
    std::int32_t sample = 0;
    JointSums sums;     // before it moved
    double linear = 0;  // by how much the sum of alpha grows
    double slope = 0;
    std::vector<AttributeChange> changes;
    std::vector<double> shares;  // before
    Starts starts;               // of the ranges, in the sample's columns
  };

  // A change of the weights of one column.
  struct ColumnChange {
    std::int32_t column;
    std::int32_t slot;
    double factor;
  };

  // What a thread needs to visit a sample.
  struct Worker {
    PairDual dual;
    PairSearch search;
    std::vector<T> outputs;
    std::vector<double> class_scores;
  };

  double cost(Index i) const { return cost_[static_cast<std::size_t>(i)]; }
  std::vector<PairVariable>& of(Index i) { return variables_[static_cast<std::size_t>(i)]; }

  // Ranges of columns with about the same number of values each.
  void set_ranges() {
    const TrainingRows& rows = scores_.rows();
    std::vector<std::size_t> count(static_cast<std::size_t>(rows.width()), 0);
    for (const std::int32_t column : rows.columns) ++count[static_cast<std::size_t>(column)];
    std::size_t sum = 0;
    std::size_t range = 1;
    range_begin_.fill(static_cast<std::int32_t>(rows.width()));
    range_begin_[0] = 0;
    for (std::size_t f = 0; f < count.size() && range < kRanges; ++f) {
      sum += count[f];
      while (range < kRanges && sum * kRanges >= range * rows.columns.size())
        range_begin_[range++] = static_cast<std::int32_t>(f + 1);
    }
  }

  std::unique_ptr<Worker> take_worker() {
    if (auto worker = workers_.take()) return worker;
    return std::make_unique<Worker>(Worker{dual_, search_, std::vector<T>(static_cast<std::size_t>(scores_.stride())),
                                           std::vector<double>(static_cast<std::size_t>(problem_.loss.classes()))});
  }

  // Looks at all pairs of these samples, block by block. Those that violate more than `moving` move.
  Pass visit(std::span<const std::int32_t> order, double moving) {
    Pass pass;
    for (std::size_t begin = 0; begin < order.size(); begin += slots_.size()) {
      const auto block = order.subspan(begin, std::min(slots_.size(), order.size() - begin));
      const auto slots = std::span(slots_).first(block.size());
      parallel_for(ctx_, std::ssize(block), kVisited, [&](Index from, Index to) {
        auto worker = take_worker();
        for (Index k = from; k < to; ++k) {
          Slot& slot = slots[static_cast<std::size_t>(k)];
          slot.sample = block[static_cast<std::size_t>(k)];
          look_at(slot, *worker, moving);
        }
        workers_.give_back(std::move(worker));
      });
      for (const Slot& slot : slots) {
        fetch_ahead(&slot);
        fetch_ahead(&slot.changes);
        fetch_ahead(&of(slot.sample));
      }
      for (const Slot& slot : slots) {
        pass.sums.add(slot.sums);
        pass.moved += slot.changes.empty() ? 0 : 1;
      }
      take_step(slots);
      if (progress_) progress_->visited(static_cast<Index>(begin + block.size()), samples_);
    }
    return pass;
  }

  // All pairs of the sample. Those that violate most become variables.
  void look_at(Slot& slot, Worker& worker, double moving) {
    const Index i = slot.sample;
    slot.sums = {};
    slot.linear = slot.slope = 0;
    slot.changes.clear();
    scores_.outputs(i, worker.outputs.data());
    scorer_.scores(worker.outputs.data(), worker.class_scores.data());
    double least = std::numeric_limits<double>::infinity();
    double reached = 0;
    double sum = 0;
    for (const PairVariable& v : of(i)) {
      const double margin =
          worker.class_scores[static_cast<std::size_t>(v.own)] - worker.class_scores[static_cast<std::size_t>(v.other)];
      const double h = v.loss * (1 - margin);
      least = std::min(least, h);
      reached = std::max(reached, h);
      sum += v.share;
      slot.sums.linear += v.loss * v.share;
      slot.sums.square += v.loss * v.share * margin;
    }
    if (!is_exhausted(sum, cost(i))) least = std::min(least, 0.0);
    const double most =
        worker.search.largest(problem_.labels.of(i), worker.class_scores, std::min(least, reached), reached);
    const double violation = std::max(0.0, most - least);
    slot.sums.slack = most;
    slot.sums.slack_cost = cost(i) * most;
    slot.sums.violation = violation;
    slacks_[static_cast<std::size_t>(i)] = slot.sums.slack_cost;
    violations_[static_cast<std::size_t>(i)] = violation;
    if (violation > moving) move(slot, worker, most);
  }

  void move(Slot& slot, Worker& worker, double most) {
    std::vector<PairVariable>& variables = of(slot.sample);
    const double violation = slot.sums.violation;
    const auto entering = worker.search.best({.enough = most - PairSearch::kShare * violation,
                                              .least = 0.5 * options_.tolerance,
                                              .share = 1 - PairSearch::kShare,
                                              .count = kNewPairs},
                                             variables);
    variables.insert(variables.end(), entering.begin(), entering.end());
    const double exactness = std::max(kExactness * options_.tolerance, kRoughly * violation);
    const PairDual::Outcome outcome = worker.dual.solve(
        variables, worker.class_scores, {scores_.square(slot.sample) * damping_, cost(slot.sample), exactness, kSteps});
    slot.linear = outcome.linear;
    slot.slope = outcome.slope;
    slot.shares.assign(worker.dual.shares_before().begin(), worker.dual.shares_before().end());
    worker.dual.list_changes(variables, slot.changes);
    if (!slot.changes.empty()) find_starts(slot);
  }

  void find_starts(Slot& slot) {
    const auto columns = scores_.rows().columns_of(slot.sample);
    std::size_t k = 0;
    for (std::size_t range = 0; range <= kRanges; ++range) {
      while (k < columns.size() && columns[k] < range_begin_[range]) ++k;
      slot.starts[range] = static_cast<std::int32_t>(k);
    }
  }

  // Adds the changes of all slots, `factor` times; returns by how much ||w||^2 grows.
  double add(std::span<const Slot> slots, double factor) {
    std::array<double, kRanges> growth{};
    ctx_.pool().run_near(kRanges, [&](Index range) {
      std::vector<ColumnChange>& changes = changes_[static_cast<std::size_t>(range)];
      list_changes(slots, static_cast<std::size_t>(range), factor, changes);
      double sum = 0;
      for (std::size_t k = 0; k < changes.size(); ++k) {
        if (k + 2 * kAhead < changes.size()) scores_.weights().fetch(changes[k + 2 * kAhead].column);
        if (k + kAhead < changes.size()) {
          const ColumnChange& later = changes[k + kAhead];
          scores_.weights().fetch(later.column, slots[static_cast<std::size_t>(later.slot)].changes);
        }
        const ColumnChange& change = changes[k];
        sum +=
            scores_.weights().add(change.column, change.factor, slots[static_cast<std::size_t>(change.slot)].changes);
      }
      growth[static_cast<std::size_t>(range)] = sum;
    });
    return std::accumulate(growth.begin(), growth.end(), 0.0);
  }

  // What the slots change in the columns of a range, slot by slot. Other threads have filled the slots, and each has
  // few columns here: so all is asked for before it is read.
  void list_changes(std::span<const Slot> slots, std::size_t range, double factor, std::vector<ColumnChange>& changes) {
    changes.clear();
    for (const Slot& slot : slots) {
      fetch_ahead(&slot.changes);
      fetch_ahead(&slot.starts[range]);
    }
    for (const Slot& slot : slots) {
      if (slot.changes.empty() || slot.starts[range] == slot.starts[range + 1]) continue;
      const auto start = static_cast<std::size_t>(slot.starts[range]);
      fetch_ahead(slot.changes.data());
      fetch_ahead(scores_.rows().columns_of(slot.sample).data() + start);
      fetch_ahead(scores_.rows().values_of(slot.sample).data() + start);
    }
    for (std::size_t k = 0; k < slots.size(); ++k) {
      const Slot& slot = slots[k];
      if (slot.changes.empty()) continue;
      const auto columns = scores_.rows().columns_of(slot.sample);
      const auto values = scores_.rows().values_of(slot.sample);
      const auto end = static_cast<std::size_t>(slot.starts[range + 1]);
      for (auto c = static_cast<std::size_t>(slot.starts[range]); c < end; ++c) {
        changes.push_back({columns[c], static_cast<std::int32_t>(k), factor * values[c]});
      }
    }
  }

  void take_step(std::span<const Slot> slots) {
    double linear = 0;
    double slope = 0;
    bool has_moved = false;
    for (const Slot& slot : slots) {
      has_moved = has_moved || !slot.changes.empty();
      linear += slot.linear;
      slope += slot.slope;
    }
    if (has_moved) {
      steps_ += 1;
      double growth = add(slots, 1);
      const double bend = growth - 2 * slope;
      const double best = bend > 0 ? std::max(0.0, (linear - slope) / bend) : 1;
      if (best < kTooFar) {
        shortened_ += 1;
        growth += add(slots, best - 1);
        linear *= best;
        for (const Slot& slot : slots) shorten(slot, best);
      }
      damping_ = best < kTooFar ? kMoreDamping * damping_ : std::max(1.0, kLessDamping * damping_);
      linear_ += linear;
      square_ += growth;
    }
    for (const Slot& slot : slots) fetch_ahead(of(slot.sample).data());
    for (const Slot& slot : slots) std::erase_if(of(slot.sample), [](const PairVariable& v) { return v.share <= 0; });
  }

  void shorten(const Slot& slot, double step) {
    if (slot.changes.empty()) return;
    auto& variables = of(slot.sample);
    for (std::size_t p = 0; p < variables.size(); ++p) {
      variables[p].share = slot.shares[p] + step * (variables[p].share - slot.shares[p]);
    }
  }

  // Computes the objective of a warm start.
  void sum_up() {
    if (count_active(variables_) == 0) return;
    const JointSums sums = measured(problem_, scores_, cost_, variables_, ctx_);
    linear_ = sums.linear;
    square_ = sums.square;
  }

  void report(double worst) {
    const double slack_cost = std::accumulate(slacks_.begin(), slacks_.end(), 0.0);
    result_.passes.push_back({worst, linear_ - square_ / 2, square_ / 2 + slack_cost, count_active(variables_)});
    if (progress_) progress_->reached(worst);
  }

  const JointProblem& problem_;
  ClassScorer scorer_;
  LinearScores<T>& scores_;
  std::span<const double> cost_;
  JointVariables& variables_;
  const JointSvmOptions& options_;
  Context& ctx_;
  PairDual dual_;  // these two are copied for every thread
  PairSearch search_;
  RandomStream random_;
  Index samples_;
  Starts range_begin_;  // columns
  std::vector<Slot> slots_;
  std::array<std::vector<ColumnChange>, kRanges> changes_;  // by range, each used by one thread at a time
  double steps_ = 0;
  double shortened_ = 0;
  double damping_ = 1;  // of all samples' squares: others of their blocks go the same way
  JointSvmResult result_;
  double linear_ = 0;               // sum of alpha
  double square_ = 0;               // ||w||^2
  std::vector<double> violations_;  // psi of every sample when it was last looked at,
  std::vector<double> slacks_;      // and c xi
  std::optional<SolverProgress> progress_;
  Spares<Worker> workers_;
};

}  // namespace

double crowding(const TrainingRows& rows) {
  std::vector<double> mean(static_cast<std::size_t>(rows.width()), 0);
  for (std::size_t k = 0; k < rows.columns.size(); ++k) {
    mean[static_cast<std::size_t>(rows.columns[k])] += std::abs(rows.values[k]) / static_cast<double>(rows.rows());
  }
  double sum = 0;
  Index counted = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto columns = rows.columns_of(i);
    const auto values = rows.values_of(i);
    double product = 0;
    double square = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      product += std::abs(values[k]) * mean[static_cast<std::size_t>(columns[k])];
      square += values[k] * values[k];
    }
    if (square == 0) continue;
    sum += product / square;
    ++counted;
  }
  return counted == 0 ? 0 : sum / static_cast<double>(counted);
}

Index samples_of_block(const TrainingRows& rows) {
  constexpr Index kMost = 128;
  constexpr Index kFewest = 16;       // with fewer, threads meet too often
  constexpr double kAlikeAtMost = 4;  // others of the block that a sample may overlap with as with itself
  constexpr Index kBlocks = 16;       // of a pass, at least
  const double room = kAlikeAtMost / std::max(crowding(rows), kAlikeAtMost / kMost);
  const Index block = std::min(static_cast<Index>(room), rows.rows() / kBlocks);
  return block < kFewest ? 0 : block;
}

template <class T>
BlockResult solve_in_blocks(const JointProblem& problem, LinearScores<T>& scores, std::span<const double> cost,
                            JointVariables& variables, const JointSvmOptions& options, Index block, Context& ctx) {
  variables.resize(static_cast<std::size_t>(scores.samples()));
  return BlockSolver<T>(problem, scores, cost, variables, options, block, ctx).run();
}

template BlockResult solve_in_blocks(const JointProblem&, LinearScores<float>&, std::span<const double>,
                                     JointVariables&, const JointSvmOptions&, Index, Context&);
template BlockResult solve_in_blocks(const JointProblem&, LinearScores<double>&, std::span<const double>,
                                     JointVariables&, const JointSvmOptions&, Index, Context&);

}  // namespace clade
