#include "classify/joint/online_blocks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "classify/joint/block_scores.h"
#include "core/parallel.h"
#include "core/progress.h"

namespace clade {
namespace {

LinearBlocks blocks_of(LinearScores<double>& scores) {
  return LinearBlocks(scores);
}
DenseBlocks blocks_of(DenseScores<double>& scores) {
  return DenseBlocks(scores);
}

// The largest ||Lambda(y) - Lambda(r)||, or a little more.
double largest_distance(const ClassAttributes& attributes) {
  double square = 0;
  for (Index y = 0; y < attributes.classes(); ++y) square = std::max(square, similarity(attributes, y, y));
  return 2 * std::sqrt(square);
}

template <class Blocks>
class BlockLearner {
 public:
  BlockLearner(const JointProblem& problem, Blocks blocks, const StepRule& rule, const OnlineOptions& options,
               Index block, Context& ctx)
      : problem_(problem),
        blocks_(std::move(blocks)),
        rule_(rule),
        options_(options),
        ctx_(ctx),
        scorer_(problem.attributes),
        samples_(blocks_.scores().samples()),
        stride_(blocks_.scores().stride()),
        block_(std::min(block, samples_)),
        distance_(largest_distance(problem.attributes)),
        active_(problem.loss.classes()),
        class_scores_(static_cast<std::size_t>(problem.loss.classes())) {
    if (options.is_averaged) lagged_.resize(static_cast<std::size_t>(samples_));
    for (Block& b : both_) {
      b.outputs.resize(static_cast<std::size_t>(block_ * stride_));
      b.answers.resize(static_cast<std::size_t>(block_));
    }
  }

  OnlineResult learn(Index steps) {
    result_.steps = steps;
    Progress progress(ctx_, "training", samples_ * options_.epochs);
    bool has_learnt = true;
    while (result_.epochs < options_.epochs && has_learnt) {
      ++result_.epochs;
      const Index before = result_.updates;
      mistakes_ = 0;
      pass();
      if (lagged_size_ > std::min(kMostLagged, blocks_.scores().nonzeros())) add_lagged();
      progress.advance(samples_);
      has_learnt = result_.updates > before;
      result_.is_separated = mistakes_ == 0;
    }
    add_lagged();
    result_.active = active_.count();
    return result_;
  }

 private:
  static constexpr Index kRanked = 4;                    // samples of a task
  static constexpr int kMostThreads = 8;                 // then scoring takes no longer than visiting
  static constexpr Index kMostLagged = Index{1} << 25U;  // 512 MiB

  struct Block {
    Index begin = 0;
    Index end = 0;
    std::vector<double> outputs;      // samples x stride
    std::vector<OnlineStep> answers;  // by the steps before the block
    BlockSteps steps;
    std::vector<double> inner;  // <x_j, x_i>, steps x samples
    std::vector<double>
        reach;  // of the steps: by how much they may have changed the difference of two scores, by sample

    Index size() const { return end - begin; }
  };

  // Visits all samples once.
  void pass() {
    int now = 0;
    both_[0].begin = both_[0].end = 0;
    both_[0].steps.start(0);
    do {
      ctx_.check_cancelled();
      Block& visited = both_[static_cast<std::size_t>(now)];
      Block& next = both_[static_cast<std::size_t>(1 - now)];
      next.begin = visited.end;
      next.end = std::min(samples_, next.begin + block_);
      const auto visit_and_score = [&](Index task) {
        if (task == 0) return visit(visited, now);
        if (task == 1) return blocks_.open(1 - now, next.begin, next.end);
        blocks_.score(task - 2, next.begin, next.end, next.outputs.data());
      };
      ctx_.pool().run(2 + blocks_.tasks(next.size()), visit_and_score, ThreadPool::Tasks::kShort, kMostThreads);
      const Index parts = visited.steps.count() == 0 ? 0 : blocks_.parts(now);
      const auto add_and_rank = [&](Index task) {
        if (task < parts) return blocks_.add(now, task, visited.steps);
        rank(now, task - parts);
      };
      ctx_.pool().run(parts + chunk_count(next.size(), kRanked), add_and_rank, ThreadPool::Tasks::kShort, kMostThreads);
      now = 1 - now;
    } while (both_[static_cast<std::size_t>(now)].size() > 0);
  }

  double* outputs(Block& block, Index i) const { return block.outputs.data() + (i - block.begin) * stride_; }

  // Some samples of the block after `visited`: what its steps have changed, and what they answer then.
  void rank(int visited, Index chunk) {
    const Block& before = both_[static_cast<std::size_t>(visited)];
    Block& block = both_[static_cast<std::size_t>(1 - visited)];
    std::vector<double> inner(static_cast<std::size_t>(before.size()));
    std::vector<double> class_scores(class_scores_.size());
    const Index end = std::min(block.end, block.begin + (chunk + 1) * kRanked);
    for (Index i = block.begin + chunk * kRanked; i < end; ++i) {
      if (before.steps.count() > 0) {
        blocks_.products(visited, i, inner);
        correct(
            before.steps, [&](Index step) { return inner[static_cast<std::size_t>(before.steps.place(step))]; },
            outputs(block, i));
      }
      block.answers[static_cast<std::size_t>(i - block.begin)] = answer(i, outputs(block, i), class_scores);
    }
  }

  // inner(step): the inner product of the two samples.
  template <class Inner>
  static void correct(const BlockSteps& steps, const Inner& inner, double* outputs) {
    for (Index step = 0; step < steps.count(); ++step) {
      const double product = inner(step);
      if (product == 0) continue;
      for (const AttributeChange& c : steps.changes(step)) outputs[c.attribute] += product * c.value;
    }
  }

  OnlineStep answer(Index i, const double* outputs, std::vector<double>& class_scores) const {
    scorer_.scores(outputs, class_scores.data());
    return rule_(class_scores, problem_.labels.of(i), blocks_.scores().square(i));
  }

  // One sample after the other.
  void visit(Block& block, int number) {
    block.steps.start(block.size());
    block.inner.clear();
    block.reach.assign(static_cast<std::size_t>(block.size()), 0);
    for (Index place = 0; place < block.size(); ++place) {
      const Index i = block.begin + place;
      OnlineStep step = answer_now(block, place);
      ++result_.steps;
      mistakes_ += step.is_right() ? 0 : 1;
      if (!options_.weight.empty()) step.size *= options_.weight[static_cast<std::size_t>(i)];
      if (step.size == 0) continue;
      ++result_.updates;
      active_.add(i, step);
      changes_of(problem_.attributes, step, changes_);
      block.steps.add(place, changes_);
      note_reach(block, number, i);
      if (!options_.is_averaged) continue;
      for (AttributeChange& c : changes_) c.value *= static_cast<double>(result_.steps);
      std::vector<AttributeChange>& lagged = lagged_[static_cast<std::size_t>(i)];
      lagged_size_ -= std::ssize(lagged);
      KernelScores::merge(lagged, changes_);
      lagged_size_ += std::ssize(lagged);
    }
  }

  // By how much the step of sample i may matter to those after it.
  void note_reach(Block& block, int number, Index i) {
    double square = 0;
    for (const AttributeChange& c : changes_) square += c.value * c.value;
    const double length = distance_ * std::sqrt(square);
    const auto size = static_cast<std::size_t>(block.size());
    block.inner.resize(block.inner.size() + size);
    const std::span inner = std::span(block.inner).last(size);
    blocks_.products(number, i, inner);
    for (auto k = static_cast<std::size_t>(i - block.begin) + 1; k < size; ++k) {
      block.reach[k] += length * std::abs(inner[k]);
    }
  }

  // By the steps before the block and those within.
  OnlineStep answer_now(Block& block, Index place) {
    const OnlineStep& before = block.answers[static_cast<std::size_t>(place)];
    const double reach = block.reach[static_cast<std::size_t>(place)];
    if (reach == 0 || (before.is_right() && reach < before.slack)) return before;
    double* const out = outputs(block, block.begin + place);
    const double* const inner = block.inner.data() + place;
    correct(block.steps, [&](Index step) { return inner[step * block.size()]; }, out);
    return answer(block.begin + place, out, class_scores_);
  }

  // The second set of weights takes what the samples have for it.
  void add_lagged() {
    if (lagged_size_ == 0) return;
    // All parts read the samples, of which there may be more than fit into memory: some at a time.
    constexpr Index kValuesAtOnce = Index{1} << 23;
    const Index step = std::max<Index>(1024, kValuesAtOnce / (1 + blocks_.scores().nonzeros() / samples_));
    const Index parts = blocks_.begin_lagged();
    for (Index begin = 0; begin < samples_; begin += step) {
      const Index end = std::min(samples_, begin + step);
      ctx_.pool().run(parts, [&](Index part) { blocks_.add_lagged(part, lagged_, begin, end); });
    }
    for (auto& changes : lagged_) changes = {};
    lagged_size_ = 0;
  }

  const JointProblem& problem_;
  Blocks blocks_;
  const StepRule& rule_;
  const OnlineOptions& options_;
  Context& ctx_;
  ClassScorer scorer_;
  Index samples_;
  Index stride_;
  Index block_;
  double distance_;
  std::array<Block, 2> both_;
  ActivePairs active_;
  OnlineResult result_;
  Index mistakes_ = 0;
  ChangesBySample lagged_;  // for the second set of weights: added when they have become as many as the samples' values
  Index lagged_size_ = 0;
  // Of the thread that visits.
  std::vector<double> class_scores_;
  std::vector<AttributeChange> changes_;
};

}  // namespace

template <class Scores>
OnlineResult learn_in_blocks(const JointProblem& problem, Scores& scores, const StepRule& rule, Index steps,
                             const OnlineOptions& options, Index block, Context& ctx) {
  return BlockLearner(problem, blocks_of(scores), rule, options, block, ctx).learn(steps);
}

template OnlineResult learn_in_blocks(const JointProblem&, LinearScores<double>&, const StepRule&, Index,
                                      const OnlineOptions&, Index, Context&);
template OnlineResult learn_in_blocks(const JointProblem&, DenseScores<double>&, const StepRule&, Index,
                                      const OnlineOptions&, Index, Context&);

Index online_block(Index nonzeros_of_sample, Index attributes) {
  constexpr double kLittle = 1 << 13;  // about two microseconds: corrections and meetings of threads cost as much
  constexpr double kEnough = 1 << 21;  // so many products keep some threads busy for longer than they take to meet
  constexpr double kFewest = 32;       // one each for some threads
  constexpr double kMost = 128;        // corrections within the block grow with it
  const auto products = static_cast<double>(nonzeros_of_sample * attributes);
  if (products < kLittle) return 0;
  return static_cast<Index>(std::clamp(kEnough / products, kFewest, kMost));
}

}  // namespace clade
