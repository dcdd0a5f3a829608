#include "classify/joint/kernel_svm.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "classify/joint/pair_search.h"
#include "classify/joint/solver_progress.h"
#include "core/check.h"
#include "core/parallel.h"
#include "core/random.h"

namespace clade {
namespace {

class DecompositionSolver {
 public:
  DecompositionSolver(const JointProblem& problem, KernelScores& scores, std::span<const double> cost,
                      JointVariables& variables, const JointSvmOptions& options, Index kernel_bytes, Context& ctx)
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
        attributes_(scores.stride()),
        classes_(problem.loss.classes()),
        outputs_(Matrix::Zero(samples_, attributes_)),
        violation_(static_cast<std::size_t>(samples_)),
        rank_(violation_.size()),
        visited_(classes_, attributes_) {
    // In random order, so that the first working set has samples of all classes.
    std::iota(rank_.begin(), rank_.end(), Index{0});
    random_.shuffle(std::span(rank_));
    const Index values = kernel_bytes / Index{sizeof(float)};
    most_working_ = std::max(Index{2}, static_cast<Index>(std::sqrt(static_cast<double>(values))));
    rows_together_ = std::min(kRowsTogether, scores.rows().capacity());
    largest_ = samples_ > 0 ? scores.rows().diagonal().maxCoeff() : 0;
    if (!(largest_ > 0)) largest_ = 1;
    result_.pairs = count_pairs(problem, samples_);
  }

  JointSvmResult run() {
    std::optional<SolverProgress> progress;
    if (options_.shows_progress) progress.emplace(ctx_, options_.tolerance);
    for (int round = 0;; ++round) {
      look_at_all();
      result_.passes.push_back({result_.violation, result_.dual, result_.primal, result_.active});
      if (progress) progress->reached(result_.violation);
      result_.has_converged = result_.violation <= options_.tolerance;
      if (result_.has_converged || round == options_.iterations) break;
      choose_working_set();
      solve_working_set();
      update_outputs();
    }
    return std::move(result_);
  }

 private:
  // One sample as it is visited.
  struct Visited {
    Visited(Index classes, Index attributes)
        : output(static_cast<std::size_t>(attributes)), scores(static_cast<std::size_t>(classes)) {}
    std::vector<double> output;  // by attribute
    std::vector<double> scores;  // by class; what is no rival: next to minus infinity
    std::vector<double> bases;   // 1 - score of each own class
    std::vector<double> scratch;
    double violation = 0;
    double most = 0;    // the largest H, at least 0: the slack
    double square = 0;  // its part of ||w||^2
  };

  double cost(Index i) const { return cost_[static_cast<std::size_t>(i)]; }
  std::vector<PairVariable>& of(Index i) { return variables_[static_cast<std::size_t>(i)]; }
  const std::vector<PairVariable>& of(Index i) const { return variables_[static_cast<std::size_t>(i)]; }

  // use(class, its losses, 1 - its score) for the sample's own classes, whose scores are out of the way meanwhile.
  template <class Use>
  void for_each_own(Index i, Visited& v, Use&& use) const {
    const auto own = problem_.labels.of(i);
    v.bases.clear();
    for (const std::int32_t y : own) {
      v.bases.push_back(1 - std::exchange(v.scores[static_cast<std::size_t>(y)], kNoRival));
    }
    for (std::size_t k = 0; k < own.size(); ++k) use(own[k], problem_.loss.row(own[k], v.scratch), v.bases[k]);
    for (std::size_t k = 0; k < own.size(); ++k) v.scores[static_cast<std::size_t>(own[k])] = 1 - v.bases[k];
  }

  // psi_i and what belongs to it, from the outputs.
  void look_at(Index i, Visited& v) const {
    scorer_.scores(v.output.data(), v.scores.data());
    const auto score = [&](std::int32_t y) { return v.scores[static_cast<std::size_t>(y)]; };
    double sum = 0;
    double least = std::numeric_limits<double>::infinity();
    v.square = 0;
    for (const PairVariable& pair : of(i)) {
      least = std::min(least, pair.loss * (1 - score(pair.own) + score(pair.other)));
      v.square += pair.loss * pair.share * (score(pair.own) - score(pair.other));
      sum += pair.share;
    }
    if (!is_exhausted(sum, cost(i))) least = std::min(least, 0.0);
    v.most = 0;
    for_each_own(i, v, [&](std::int32_t, const double* loss, double base) {
      double most = v.most;
      for (Index r = 0; r < classes_; ++r) {
        most = std::max(most, loss[r] * (base + v.scores[static_cast<std::size_t>(r)]));
      }
      v.most = most;
    });
    v.violation = std::max(0.0, v.most - least);
  }

  // Violations of all samples, and primal and dual by definition.
  void look_at_all() {
    const JointSums total = parallel_reduce(
        ctx_, samples_, kSamplesPerTask, JointSums{},
        [&](Index begin, Index end) {
          JointSums part;
          Visited v(classes_, attributes_);
          for (Index i = begin; i < end; ++i) {
            for (Index z = 0; z < attributes_; ++z) v.output[static_cast<std::size_t>(z)] = outputs_(i, z);
            look_at(i, v);
            violation_[static_cast<std::size_t>(i)] = v.violation;
            for (const PairVariable& pair : of(i)) part.linear += pair.loss * pair.share;
            part.square += v.square;
            part.slack += v.most;
            part.slack_cost += cost(i) * v.most;
            part.violation = std::max(part.violation, v.violation);
          }
          return part;
        },
        [](JointSums& sum, const JointSums& part) { sum.add(part); });
    total.put_into(result_);
    result_.active = count_active(variables_);
  }

  // All samples that have variables or violate; if they are too many, those that violate most. A smaller set would take
  // more moves: what it gains is partly undone when the others follow.
  void choose_working_set() {
    working_.clear();
    for (Index i = 0; i < samples_; ++i) {
      if (!of(i).empty() || violation_[static_cast<std::size_t>(i)] > kEntering * options_.tolerance) {
        working_.push_back(i);
      }
    }
    // At first all samples violate alike, and some of them tell which others matter.
    const bool is_first = result_.passes.size() == 1;
    const Index most = is_first ? std::min(most_working_, scores_.rows().capacity()) : most_working_;
    if (std::ssize(working_) > most) {
      const auto violates_more = [&](Index a, Index b) {
        const double of_a = violation_[static_cast<std::size_t>(a)];
        const double of_b = violation_[static_cast<std::size_t>(b)];
        return of_a != of_b ? of_a > of_b : rank_[static_cast<std::size_t>(a)] < rank_[static_cast<std::size_t>(b)];
      };
      std::nth_element(working_.begin(), working_.begin() + most, working_.end(), violates_more);
      working_.resize(static_cast<std::size_t>(most));
      std::sort(working_.begin(), working_.end());
    }
    changes_.assign(working_.size(), {});
    const Index size = std::ssize(working_);
    local_.resize(size, attributes_);
    for (Index z = 0; z < attributes_; ++z) {
      for (Index k = 0; k < size; ++k) local_(k, z) = outputs_(working_[static_cast<std::size_t>(k)], z);
    }
    kernel_.resize(size, size);
    for (Index begin = 0; begin < size; begin += rows_together_) {
      const Index end = std::min(size, begin + rows_together_);
      const auto rows = rows_of({working_.data() + begin, working_.data() + end});
      parallel_for(ctx_, end - begin, kRowsPerTask, [&](Index from, Index to) {
        for (Index k = from; k < to; ++k) {
          const double* const row = rows[static_cast<std::size_t>(k)];
          float* const column = kernel_.col(begin + k).data();
          for (Index l = 0; l < size; ++l) {
            column[l] = static_cast<float>(row[working_[static_cast<std::size_t>(l)]] / largest_);
          }
        }
      });
    }
  }

  std::vector<const double*> rows_of(std::span<const Index> some) {
    scores_.rows().compute_together(some);
    std::vector<const double*> rows;
    for (const Index i : some) rows.push_back(scores_.rows().row(i));
    return rows;
  }

  // Full passes look at all classes of all samples of the working set; those between them move the variables that there
  // are, of samples that have violated since.
  void solve_working_set() {
    const double enough = std::max(kShare * result_.violation, kResting * options_.tolerance);
    std::vector<Index> all(working_.size());
    std::iota(all.begin(), all.end(), Index{0});
    std::vector<Index> restless;
    for (int pass = 0; pass < kInnerPasses; ++pass) {
      ctx_.check_cancelled();
      const bool is_full = pass % kFullEvery == 0 || restless.empty();
      if (is_full) restless = all;
      random_.shuffle(std::span(restless));
      std::size_t left = 0;
      for (const Index k : restless) {
        if ((is_full ? visit_all(k) : move(k)) >= enough) restless[left++] = k;
      }
      restless.resize(left);
      if (is_full && restless.empty()) return;
    }
  }

  double visit_all(Index k) {
    const Index i = working_[static_cast<std::size_t>(k)];
    for (Index z = 0; z < attributes_; ++z) visited_.output[static_cast<std::size_t>(z)] = local_(k, z);
    look_at(i, visited_);
    if (visited_.violation > kResting * options_.tolerance) {
      add_variables(i);
      move(k);
    }
    return visited_.violation;
  }

  // The most violating pairs become variables with value 0.
  void add_variables(Index i) {
    std::vector<PairVariable>& variables = of(i);
    const double least = visited_.most - visited_.violation;
    search_.largest(problem_.labels.of(i), visited_.scores, least, visited_.most);
    const double enough = std::max(0.0, visited_.most - PairSearch::kShare * visited_.violation);
    const auto entering = search_.best({.enough = enough, .count = kNewPairs}, variables);
    variables.insert(variables.end(), entering.begin(), entering.end());
  }

  double move(Index k) {
    const Index i = working_[static_cast<std::size_t>(k)];
    dual_.arrange(of(i), pairs_);
    const SampleDual::Outcome outcome =
        dual_.solve(of(i), pairs_, [&](std::int32_t z) { return local_(k, z); },
                    {scores_.square(i), cost(i), kInnerExactness * options_.tolerance, kSteps});
    SampleDual::drop_zeros(of(i), pairs_);
    const Index size = local_.rows();
    const float* const kernel = kernel_.col(k).data();
    for (const AttributeChange& c : dual_.changes()) {
      double* const outputs = local_.col(c.attribute).data();
      const double factor = c.value * largest_;
      for (Index l = 0; l < size; ++l) outputs[l] += factor * static_cast<double>(kernel[l]);
    }
    KernelScores::merge(changes_[static_cast<std::size_t>(k)], dual_.changes());
    return outcome.violation;
  }

  // Backwards, because the rows computed last are still there.
  void update_outputs() {
    std::vector<Index> moved;
    std::vector<std::span<const AttributeChange>> changes;
    for (std::size_t k = working_.size(); k-- > 0;) {
      if (changes_[k].empty()) continue;
      scores_.add(working_[k], changes_[k]);
      moved.push_back(working_[k]);
      changes.emplace_back(changes_[k]);
    }
    for (Index first = 0; first < std::ssize(moved); first += rows_together_) {
      const Index last = std::min(std::ssize(moved), first + rows_together_);
      const auto rows = rows_of({moved.data() + first, moved.data() + last});
      parallel_for(ctx_, samples_, kSamplesPerTask, [&](Index begin, Index end) {
        for (Index k = first; k < last; ++k) {
          const Eigen::Map<const Vector> row(rows[static_cast<std::size_t>(k - first)] + begin, end - begin);
          for (const AttributeChange& c : changes[static_cast<std::size_t>(k)]) {
            outputs_.col(c.attribute).segment(begin, end - begin) += c.value * row;
          }
        }
      });
    }
  }

  static constexpr double kEntering = 0.1;  // of the tolerance: samples that violate more are in the working set
  static constexpr double kResting = 0.2;   // of the tolerance: those that violate less need not move
  static constexpr double kShare = 0.1;     // of the largest violation: the same
  static constexpr int kInnerPasses = 20;
  static constexpr int kFullEvery = 4;
  static constexpr std::size_t kNewPairs = 16;
  static constexpr int kSteps = 100;               // on one sample's variables per visit
  static constexpr double kInnerExactness = 0.08;  // share of the tolerance to which a sample's own problem is solved
  static constexpr Index kRowsTogether = 256;      // that are computed as one product
  static constexpr Index kSamplesPerTask = 256;
  static constexpr Index kRowsPerTask = 16;
  static constexpr double kNoRival = -1e300;

  const JointProblem& problem_;
  ClassScorer scorer_;
  KernelScores& scores_;
  std::span<const double> cost_;
  JointVariables& variables_;
  const JointSvmOptions& options_;
  Context& ctx_;
  SampleDual dual_;
  PairSearch search_;
  LocalPairs pairs_;  // of the sample that moves
  RandomStream random_;
  Index samples_;
  Index attributes_;
  Index classes_;
  JointSvmResult result_;
  Matrix outputs_;  // samples x attributes
  std::vector<double> violation_;

  std::vector<Index> rank_;  // among samples that violate equally
  Index most_working_ = 1;
  Index rows_together_ = 1;
  double largest_ = 1;  // kernel value

  // The working set: its samples, their kernel in parts of the largest value, their outputs, and how their coefficients
  // have changed. Rounding to floats does no harm: the outputs of all samples are computed from the changes.
  std::vector<Index> working_;
  Eigen::MatrixXf kernel_;
  Matrix local_;
  KernelScores::Coefficients changes_;

  Visited visited_;
};

}  // namespace

bool fits_kernel_svm(const JointProblem& problem, const KernelOptions& options, Index samples) {
  return samples * problem.attributes.count <= options.cache_bytes() / static_cast<Index>(sizeof(double));
}

JointSvmResult solve_kernel_svm(const JointProblem& problem, KernelScores& scores, std::span<const double> cost,
                                JointVariables& variables, const JointSvmOptions& options, Index kernel_bytes,
                                Context& ctx) {
  CLADE_CHECK(variables.empty());
  variables.resize(static_cast<std::size_t>(scores.samples()));
  return DecompositionSolver(problem, scores, cost, variables, options, kernel_bytes, ctx).run();
}

}  // namespace clade
