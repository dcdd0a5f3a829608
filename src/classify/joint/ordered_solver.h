#pragma once

#include <clade/context.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "classify/joint/joint_measure.h"
#include "classify/joint/joint_svm.h"
#include "classify/joint/pair_search.h"
#include "classify/joint/solver_progress.h"
#include "core/parallel.h"
#include "core/random.h"

namespace clade {

// The joint SVM by one sample after the other, in any of the schedules kInOrder, kInTurn and kPublished.
template <class Scores>
class OrderedSolver {
 public:
  using T = typename Scores::Value;

  OrderedSolver(const JointProblem& problem, Scores& scores, std::span<const double> cost, JointVariables& variables,
                const JointSvmOptions& options, Context& ctx)
      : problem_(problem),
        scorer_(problem.attributes),
        scores_(scores),
        cost_(cost),
        variables_(variables),
        options_(options),
        ctx_(ctx),
        dual_(problem, {.is_masked = scores.is_masked(), .is_by_group = Scores::kScoresFewQuickly}),
        search_(problem),
        random_(options.seed, {kSolverStream}),
        samples_(scores.samples()),
        stride_(scores.stride()),
        classes_(problem.loss.classes()),
        is_in_turn_(options.schedule == JointSchedule::kInTurn || scores.is_masked()) {
    outputs_.resize(static_cast<std::size_t>(2 * kBlock * stride_));
    class_scores_.resize(static_cast<std::size_t>(classes_));
    violations_.assign(static_cast<std::size_t>(samples_), std::numeric_limits<double>::infinity());
    slacks_.assign(violations_.size(), 0);
    locals_.resize(Scores::kScoresFewQuickly ? violations_.size() : 1);
    result_.pairs = count_pairs(problem, samples_);
  }

  JointSvmResult run() {
    if (options_.shows_progress) progress_.emplace(ctx_, options_.tolerance);
    sum_up();
    options_.schedule == JointSchedule::kPublished ? run_published() : run_passes();
    return std::move(result_);
  }

 private:
  static constexpr Index kBlock = 8;         // samples scored side by side
  static constexpr Index kScoredAtOnce = 4;  // of these, per task
  static constexpr int kNewPairs = 16;       // variables that may enter per visit
  static constexpr int kSteps = 100;         // on one sample's variables per visit
  // How many passes over the samples that moved come before all samples are scored again, and below which share of the
  // last full pass's violation a sample rests until then.
  struct InnerPasses {
    int count;
    double share;
  };
  static constexpr InnerPasses kInBlocks{1, 0.02};
  static constexpr InnerPasses kInTurn{20, 0.1};
  // The same where a few outputs of a sample cost much less than all of them.
  static constexpr InnerPasses kQuick{40, 0.05};
  static constexpr double kQuickSettled = 0.5;    // of what is enough: a visit costs much more than another step
  static constexpr double kQuickShare = 0.15;     // of the tolerance: a sample rests below it in any case
  static constexpr double kQuickExactness = 0.1;  // of a violation that is left to the quick passes
  // Of the tolerance: below it, only full passes with no violation look at a sample.
  static constexpr double kResting = 0.5;
  static constexpr int kExactSteps = 1000000;
  static constexpr double kExact = 1e-12;
  static constexpr double kInnerExactness = 0.08;  // share of the tolerance to which a sample's own problem is solved

  double cost(Index i) const { return cost_[static_cast<std::size_t>(i)]; }
  std::vector<PairVariable>& of(Index i) { return variables_[static_cast<std::size_t>(i)]; }
  T* outputs(Index k) { return outputs_.data() + k * stride_; }

  void run_passes() {
    std::vector<std::int32_t> all(static_cast<std::size_t>(samples_));
    std::iota(all.begin(), all.end(), 0);
    std::vector<std::int32_t> restless;
    double resting = 0;  // samples with smaller violations rest
    for (int pass = 0; pass < options_.iterations; ++pass) {
      random_.shuffle(std::span(all));
      restless.clear();
      std::ranges::copy_if(all, std::back_inserter(restless),
                           [&](std::int32_t i) { return violations_[static_cast<std::size_t>(i)] >= resting; });
      const bool is_complete = restless.size() == all.size();
      const double worst = full_pass(restless);
      report_pass(worst);
      if (progress_) progress_->reached(worst);
      if (worst <= options_.tolerance && is_complete) {
        measure();
        if (result_.violation <= options_.tolerance) {
          result_.has_converged = true;
          return;
        }
      }
      // Once none of the others violates, all are looked at again.
      resting = Scores::kScoresFewQuickly && worst > options_.tolerance ? kResting * options_.tolerance : 0;
      restless.clear();
      std::ranges::copy_if(all, std::back_inserter(restless), [&](std::int32_t i) { return !of(i).empty(); });
      inner_passes(restless, worst);
    }
    measure();
    result_.has_converged = result_.violation <= options_.tolerance;
  }

  double full_pass(std::span<const std::int32_t> order) {
    double worst = 0;
    Index visited = 0;
    for_each_sample(
        order, [](std::span<const std::int32_t>) {}, [&](std::int32_t i, Index, T* out) { scores_.outputs(i, out); },
        [&](std::int32_t i, const T* out) {
          worst = std::max(worst, visit_all(i, out));
          if (progress_) progress_->visited(++visited, samples_);
        });
    return worst;
  }

  void inner_passes(std::vector<std::int32_t>& restless, double worst) {
    if constexpr (Scores::kScoresFewQuickly) {
      quick_passes(restless, worst);
    } else {
      scored_passes(restless, worst);
    }
  }

  // One sample after the other, with the outputs that its variables need.
  void quick_passes(std::vector<std::int32_t>& restless, double worst) {
    const double enough = std::max(kQuick.share * worst, kQuickShare * options_.tolerance);
    for (int pass = 0; pass < kQuick.count && !restless.empty(); ++pass) {
      ctx_.check_cancelled();
      random_.shuffle(std::span(restless));
      std::size_t left = 0;
      for (const std::int32_t i : restless) {
        const double violation = settle_by_group(i, kQuickSettled * enough);
        if (violation >= enough) restless[left++] = i;
      }
      restless.resize(left);
    }
  }

  // The variables of a sample in the form that the solver of its problem wants. Kept where it can be used again.
  LocalPairs& arranged(Index i) {
    LocalPairs& local = locals_[Scores::kScoresFewQuickly ? static_cast<std::size_t>(i) : 0];
    if (!Scores::kScoresFewQuickly || local.pairs.size() != of(i).size()) dual_.arrange(of(i), local);
    return local;
  }

  void scored_passes(std::vector<std::int32_t>& restless, double worst) {
    const InnerPasses inner = is_in_turn_ ? kInTurn : kInBlocks;
    const double enough = std::max(inner.share * worst, 0.5 * options_.tolerance);
    for (int pass = 0; pass < inner.count && !restless.empty(); ++pass) {
      random_.shuffle(std::span(restless));
      std::size_t left = 0;
      for_each_sample(
          std::span(restless),
          [&](std::span<const std::int32_t> block) {
            wanted_.resize(block.size());
            for (std::size_t k = 0; k < block.size(); ++k) dual_.attributes_of(of(block[k]), wanted_[k]);
          },
          [&](std::int32_t i, Index k, T* out) { scores_.outputs_at(i, wanted_[static_cast<std::size_t>(k)], out); },
          [&](std::int32_t i, const T* out) {
            const double violation = move(i, out, kSteps, kInnerExactness * options_.tolerance);
            if (violation >= enough) restless[left++] = i;
          });
      restless.resize(left);
    }
  }

  // Scores and visits samples. In any schedule, a visit sees what all earlier visits learnt.
  template <class Prepare, class Score, class Visit>
  void for_each_sample(std::span<const std::int32_t> order, const Prepare& prepare, const Score& score,
                       const Visit& visit) {
    if (is_in_turn_) {
      visit_in_turn(order, prepare, score, visit);
    } else {
      visit_in_blocks(order, prepare, score, visit);
    }
  }

  template <class Prepare, class Score, class Visit>
  void visit_in_turn(std::span<const std::int32_t> order, const Prepare& prepare, const Score& score,
                     const Visit& visit) {
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (k % 1024 == 0) ctx_.check_cancelled();
      const auto sample = order.subspan(k, 1);
      const std::int32_t i = order[k];  // the visit may change the order after it
      prepare(sample);
      scores_.prepare(sample);
      score(i, 0, outputs(0));
      moved_.clear();
      visit(i, outputs(0));
      for (const Moved& moved : moved_) scores_.add(moved.sample, moved.changes);
    }
    moved_.clear();
  }

  // While the samples of one block are visited, one after the other, those of the next are scored. Changes of a block
  // are added to the weights when both are done; until then the outputs of this block and the next are corrected
  // through inner products.
  template <class Prepare, class Score, class Visit>
  void visit_in_blocks(std::span<const std::int32_t> order, const Prepare& prepare, const Score& score,
                       const Visit& visit) {
    const auto block_at = [&](std::size_t begin) {
      return begin >= order.size() ? std::span<const std::int32_t>()
                                   : order.subspan(begin, std::min<std::size_t>(kBlock, order.size() - begin));
    };
    const auto score_some = [&](std::span<const std::int32_t> block, Index chunk, T* out) {
      const Index first = chunk * kScoredAtOnce;
      const Index count = std::min(kScoredAtOnce, std::ssize(block) - first);
      if constexpr (Scores::kScoresFewQuickly) {
        scores_.outputs_of(block.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)),
                           out + first * stride_);
      } else {
        for (Index k = first; k < first + count; ++k) score(block[static_cast<std::size_t>(k)], k, out + k * stride_);
      }
    };
    earlier_.clear();
    T* current = outputs_.data();
    T* next = current + kBlock * stride_;
    const auto first = block_at(0);
    prepare(first);
    scores_.prepare(first);
    for (Index chunk = 0; chunk < chunk_count(std::ssize(first), kScoredAtOnce); ++chunk)
      score_some(first, chunk, current);
    for (std::size_t begin = 0; begin < order.size(); begin += kBlock) {
      ctx_.check_cancelled();
      const auto block = block_at(begin);
      const auto following = block_at(begin + kBlock);
      prepare(following);
      moved_.clear();
      const auto visit_block = [&] {
        for (std::size_t k = 0; k < block.size(); ++k) {
          T* const out = current + static_cast<Index>(k) * stride_;
          correct_outputs(block[k], out);
          visit(block[k], out);
        }
      };
      if constexpr (Scores::kCanScoreWhileVisiting) {
        ctx_.pool().run(1 + chunk_count(std::ssize(following), kScoredAtOnce),
                        [&](Index task) { task == 0 ? visit_block() : score_some(following, task - 1, next); });
      } else {
        visit_block();
        scores_.prepare(following);
        for (Index k = 0; k < chunk_count(std::ssize(following), kScoredAtOnce); ++k) score_some(following, k, next);
      }
      for (const Moved& moved : moved_) scores_.add(moved.sample, moved.changes);
      std::swap(earlier_, moved_);
      std::swap(current, next);
    }
    earlier_.clear();
    moved_.clear();
  }

  // Updates the outputs of a sample: w_z has gained sum_j change_jz x_j since they were computed.
  void correct_outputs(std::int32_t i, T* out) {
    if (earlier_.empty() && moved_.empty()) return;
    scores_.begin_inner(i);
    for (const auto* list : {&earlier_, &moved_}) {
      for (const Moved& moved : *list) {
        const double inner = scores_.inner(moved.sample);
        if (inner == 0) continue;
        for (const AttributeChange& c : moved.changes) out[c.attribute] += static_cast<T>(inner * c.value);
      }
    }
    scores_.end_inner(i);
  }

  double visit_all(Index i, const T* output) {
    scorer_.scores(output, class_scores_.data());
    const auto [least, reached] = gradient_range(of(i), cost(i), class_scores_);
    const double most = search_.largest(problem_.labels.of(i), class_scores_, std::min(least, reached), reached);
    const double violation = std::max(0.0, most - least);
    slacks_[static_cast<std::size_t>(i)] = cost(i) * most;
    violations_[static_cast<std::size_t>(i)] = violation;
    if (violation > 0.2 * options_.tolerance) {
      std::vector<PairVariable>& variables = of(i);
      const auto entering = search_.best({.enough = most - PairSearch::kShare * violation,
                                          .least = 0.5 * options_.tolerance,
                                          .share = 1 - PairSearch::kShare,
                                          .count = kNewPairs},
                                         variables);
      variables.insert(variables.end(), entering.begin(), entering.end());
      const double exactness = Scores::kScoresFewQuickly ? kQuickExactness * violation : 0;
      move(i, output, kSteps, std::max(exactness, kInnerExactness * options_.tolerance));
    }
    return violation;
  }

  double move(Index i, const T* output, int steps, double tolerance) {
    const double violation = settle(i, [output](std::int32_t z) { return output[z]; }, steps, tolerance);
    if (!dual_.changes().empty()) moved_.push_back({i, {dual_.changes().begin(), dual_.changes().end()}});
    return violation;
  }

  // Solves the problem of a sample over its variables; `output(z)` = <w_z, x>. Returns the violation before.
  template <class Output>
  double settle(Index i, const Output& output, int steps, double tolerance) {
    LocalPairs& local = arranged(i);
    return take(i, local, dual_.solve(of(i), local, output, {scores_.sample_square(i), cost(i), tolerance, steps}));
  }

  // The same straight from the weights, and back into them.
  double settle_by_group(Index i, double tolerance) {
    LocalPairs& local = arranged(i);
    const SampleDual::Outcome outcome = dual_.solve_by_group(
        of(i), local,
        [&](std::span<const std::int32_t> group) { return static_cast<double>(scores_.sum_of_outputs(i, group)); },
        {scores_.sample_square(i), cost(i), tolerance, kSteps});
    if (outcome.steps > 0) {
      const auto changes = dual_.group_changes();
      for (std::size_t g = 0; g < local.group_count(); ++g) {
        if (changes[g] != 0) scores_.add_to_all(i, local.group(g), changes[g]);
      }
    }
    return take(i, local, outcome);
  }

  double take(Index i, LocalPairs& local, const SampleDual::Outcome& outcome) {
    SampleDual::drop_zeros(of(i), local);
    linear_ += outcome.linear;
    square_ += outcome.square;
    return outcome.violation;
  }

  // Computes the objective of a warm start.
  void sum_up() {
    linear_ = 0;
    for (const auto& variables : variables_) {
      for (const PairVariable& v : variables) linear_ += v.loss * v.share;
    }
    if (linear_ == 0) return;
    measure();
    square_ = 2 * (linear_ - result_.dual);
  }

  void report_pass(double worst) {
    const double slack_cost = std::accumulate(slacks_.begin(), slacks_.end(), 0.0);
    result_.passes.push_back({worst, linear_ - square_ / 2, square_ / 2 + slack_cost, count_active(variables_)});
  }

  void measure() {
    measured(problem_, scores_, cost_, variables_, ctx_).put_into(result_);
    result_.active = count_active(variables_);
  }

  void prepare_all() {
    std::vector<std::int32_t> all(static_cast<std::size_t>(samples_));
    std::iota(all.begin(), all.end(), 0);
    scores_.prepare(all);
  }

  // Algorithm 2: always the sample with the largest psi, and its pair with the largest H.
  void run_published() {
    std::vector<double> violation(static_cast<std::size_t>(samples_));
    std::vector<PairVariable> entering(violation.size());
    const double most_steps = static_cast<double>(options_.iterations) * static_cast<double>(samples_);
    for (double step = 0; step < most_steps; ++step) {
      ctx_.check_cancelled();
      prepare_all();
      parallel_for(ctx_, samples_, Index{64}, [&](Index begin, Index end) {
        std::vector<T> output(static_cast<std::size_t>(stride_));
        std::vector<double> class_scores(static_cast<std::size_t>(classes_));
        std::vector<double> scratch;
        for (Index i = begin; i < end; ++i) {
          scores_.outputs(i, output.data());
          scorer_.scores(output.data(), class_scores.data());
          const LargestPair largest = largest_pair(problem_, i, class_scores, scratch);
          entering[static_cast<std::size_t>(i)] = largest.pair;
          violation[static_cast<std::size_t>(i)] =
              std::max(0.0, largest.gradient - gradient_range(of(i), cost(i), class_scores).first);
        }
      });
      const auto worst = std::max_element(violation.begin(), violation.end());
      if (worst == violation.end() || *worst <= options_.tolerance) {
        result_.has_converged = true;
        break;
      }
      if (progress_) progress_->reached(*worst);
      const auto i = static_cast<Index>(worst - violation.begin());
      const PairVariable& pair = entering[static_cast<std::size_t>(i)];
      std::vector<PairVariable>& variables = of(i);
      const bool is_new = pair.own >= 0 && std::none_of(variables.begin(), variables.end(), [&](const PairVariable& v) {
                            return v.own == pair.own && v.other == pair.other;
                          });
      if (is_new) variables.push_back(pair);
      scores_.outputs(i, outputs(0));
      moved_.clear();
      move(i, outputs(0), kExactSteps, kExact);
      for (const Moved& moved : moved_) scores_.add(moved.sample, moved.changes);
      if ((static_cast<Index>(step) + 1) % samples_ == 0) report_pass(*worst);
    }
    measure();
  }

  struct Moved {
    Index sample;
    std::vector<AttributeChange> changes;
  };

  const JointProblem& problem_;
  ClassScorer scorer_;
  Scores& scores_;
  std::span<const double> cost_;
  JointVariables& variables_;
  const JointSvmOptions& options_;
  Context& ctx_;
  SampleDual dual_;
  PairSearch search_;
  RandomStream random_;
  Index samples_;
  Index stride_;
  Index classes_;
  bool is_in_turn_;  // also with lists of features: blocks are corrected through inner products over all features
  JointSvmResult result_;
  double linear_ = 0;  // sum of alpha
  double square_ = 0;  // ||w||^2

  std::vector<double> violations_;  // psi of every sample when all its pairs were last looked at,
  std::vector<double> slacks_;      // and c xi
  std::vector<LocalPairs> locals_;  // of every sample, or of the one that is visited

  // For the block, or for the sample being visited.
  std::optional<SolverProgress> progress_;
  std::vector<T> outputs_;
  std::vector<std::vector<std::int32_t>> wanted_;
  std::vector<Moved> moved_;    // in the current block
  std::vector<Moved> earlier_;  // in the one before
  std::vector<double> class_scores_;
};

}  // namespace clade
