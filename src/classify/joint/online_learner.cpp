#include "classify/joint/online_learner.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "classify/joint/online_blocks.h"
#include "core/parallel.h"
#include "core/progress.h"

namespace clade {
namespace {

// The class of the sample with the lowest score, and the other class with the highest; ties go to the smaller number.
struct WorstPair {
  std::int32_t own = -1;
  std::int32_t other = -1;
};
WorstPair worst_pair(std::span<const double> scores, std::span<const std::int32_t> own) {
  WorstPair pair;
  std::size_t next = 0;
  for (std::int32_t y = 0; y < std::ssize(scores); ++y) {
    const double score = scores[static_cast<std::size_t>(y)];
    const bool is_own = next < own.size() && own[next] == y;
    if (is_own) {
      ++next;
      if (pair.own < 0 || score < scores[static_cast<std::size_t>(pair.own)]) pair.own = y;
    } else if (pair.other < 0 || score > scores[static_cast<std::size_t>(pair.other)]) {
      pair.other = y;
    }
  }
  return pair;
}

// The worst pair after the scores of some classes have changed. Looks at all classes again only if a class of the pair
// itself has changed.
void update(WorstPair& pair, std::span<const double> scores, std::span<const std::int32_t> own,
            std::span<const std::int32_t> changed) {
  if (std::ranges::find(changed, pair.own) != changed.end() ||
      std::ranges::find(changed, pair.other) != changed.end()) {
    pair = worst_pair(scores, own);
    return;
  }
  const auto score = [&](std::int32_t y) { return scores[static_cast<std::size_t>(y)]; };
  for (const std::int32_t y : changed) {
    if (std::ranges::binary_search(own, y)) {
      if (score(y) < score(pair.own) || (score(y) == score(pair.own) && y < pair.own)) pair.own = y;
    } else if (score(y) > score(pair.other) || (score(y) == score(pair.other) && y < pair.other)) {
      pair.other = y;
    }
  }
}

// A class of the sample, another class, and by how much the first misses its margin over the second.
struct HingePair {
  std::int32_t own = 0;
  std::int32_t other = 0;
  double hinge = 0;
};
double hinge_of(std::span<const double> scores, std::int32_t own, std::int32_t other, double loss) {
  return scores[static_cast<std::size_t>(other)] - scores[static_cast<std::size_t>(own)] + std::sqrt(loss);
}

// The pair whose hinge is the largest; ties go to the smaller numbers. `largest`: the root of the largest loss, or
// more.
HingePair worst_hinge(std::span<const double> scores, std::span<const std::int32_t> own, const ClassLoss& loss,
                      double largest) {
  thread_local std::vector<double> scratch;
  HingePair worst{.hinge = -std::numeric_limits<double>::infinity()};
  for (const std::int32_t y : own) {
    const double* const losses = loss.row(y, scratch);
    std::int32_t other = -1;
    double height = 0;
    std::size_t next = 0;
    for (std::int32_t r = 0; r < std::ssize(scores); ++r) {
      if (next < own.size() && own[next] == r) {
        ++next;
        continue;
      }
      if (other >= 0 && scores[static_cast<std::size_t>(r)] + largest <= height) continue;  // saves the root
      const double here = scores[static_cast<std::size_t>(r)] + std::sqrt(losses[r]);
      if (other >= 0 && here <= height) continue;
      other = r;
      height = here;
    }
    const double hinge = hinge_of(scores, y, other, losses[other]);
    if (hinge > worst.hinge) worst = {y, other, hinge};
  }
  return worst;
}

// The worst pair of the ranking. If the ranking has all classes of the sample first, ties by number: the hinge without
// a margin, which is not above 0.
HingePair hinge_of_ranking(std::span<const double> scores, std::span<const std::int32_t> own, const ClassLoss& loss) {
  const WorstPair pair = worst_pair(scores, own);
  const double margin = scores[static_cast<std::size_t>(pair.own)] - scores[static_cast<std::size_t>(pair.other)];
  if (margin > 0 || (margin == 0 && pair.own < pair.other)) return {.hinge = -margin};
  return {pair.own, pair.other, hinge_of(scores, pair.own, pair.other, loss.of(pair.own, pair.other))};
}

// ||Phi(x, a) - Phi(x, b)||^2
double squared_difference(const ClassAttributes& attributes, std::int32_t a, std::int32_t b, SampleSquare square) {
  if (!square.is_masked()) {
    return (similarity(attributes, a, a) + similarity(attributes, b, b) - 2 * similarity(attributes, a, b)) *
           square.common();
  }
  std::vector<AttributeChange> difference;
  changes_of(attributes, {.own = a, .other = b, .size = 1}, difference);
  return square_of(difference, square);
}

}  // namespace

StepRule perceptron_rule(const JointProblem& problem) {
  return
      [&problem](std::span<const double> scores, std::span<const std::int32_t> own, SampleSquare square) -> OnlineStep {
        const WorstPair pair = worst_pair(scores, own);
        const double margin = scores[static_cast<std::size_t>(pair.own)] - scores[static_cast<std::size_t>(pair.other)];
        if (margin > 0) return {.slack = margin};
        const double size = square.common() == 0 ? 0 : problem.loss.of(pair.own, pair.other);
        return {.own = pair.own, .other = pair.other, .size = size};
      };
}

StepRule hieron_rule(const JointProblem& problem, bool on_every_loss) {
  const double largest = on_every_loss ? std::sqrt(problem.loss.largest()) : 0;
  return [&problem, on_every_loss, largest](std::span<const double> scores, std::span<const std::int32_t> own,
                                            SampleSquare square) -> OnlineStep {
    const HingePair pair =
        on_every_loss ? worst_hinge(scores, own, problem.loss, largest) : hinge_of_ranking(scores, own, problem.loss);
    if (pair.hinge <= 0) return {.slack = -pair.hinge};
    const double length = squared_difference(problem.attributes, pair.own, pair.other, square);
    return {.own = pair.own, .other = pair.other, .size = length == 0 ? 0 : pair.hinge / length};
  };
}

void changes_of(const ClassAttributes& attributes, const OnlineStep& step, std::vector<AttributeChange>& changes) {
  changes.clear();
  const auto index_a = attributes.index_of(step.own);
  const auto index_b = attributes.index_of(step.other);
  const auto value_a = attributes.value_of(step.own);
  const auto value_b = attributes.value_of(step.other);
  std::size_t a = 0;
  std::size_t b = 0;
  while (a < index_a.size() || b < index_b.size()) {
    const bool takes_a = b == index_b.size() || (a < index_a.size() && index_a[a] <= index_b[b]);
    const bool takes_b = a == index_a.size() || (b < index_b.size() && index_b[b] <= index_a[a]);
    const std::int32_t z = takes_a ? index_a[a] : index_b[b];
    double value = 0;
    if (takes_a) value += value_a[a++];
    if (takes_b) value -= value_b[b++];
    if (value != 0) changes.push_back({z, step.size * value});
  }
}

template <class Scores>
OnlineResult learn_online(const JointProblem& problem, Scores& scores, const StepRule& rule, Index steps,
                          const OnlineOptions& options, Context& ctx) {
  if constexpr (!std::is_same_v<Scores, KernelScores>) {
    const Index block = scores.is_masked() ? 0
                                           : online_block(scores.nonzeros() / std::max<Index>(1, scores.samples()),
                                                          problem.attributes.count);
    if (block > 0) return learn_in_blocks(problem, scores, rule, steps, options, block, ctx);
  }
  const ClassScorer scorer(problem.attributes);
  std::vector<typename Scores::Value> outputs(static_cast<std::size_t>(scores.stride()));
  std::vector<double> class_scores(static_cast<std::size_t>(problem.loss.classes()));
  std::vector<AttributeChange> changes;
  ActivePairs active(problem.loss.classes());
  OnlineResult result;
  result.steps = steps;
  Progress progress(ctx, "training", scores.samples() * options.epochs);
  bool has_learnt = true;
  while (result.epochs < options.epochs && has_learnt) {
    ++result.epochs;
    Index updates = 0;
    Index mistakes = 0;
    for (Index i = 0; i < scores.samples(); ++i) {
      if (i % 1024 == 0) ctx.check_cancelled();
      const auto sample = static_cast<std::int32_t>(i);
      scores.prepare({&sample, 1});
      scores.outputs(i, outputs.data());
      scorer.scores(outputs.data(), class_scores.data());
      OnlineStep step = rule(class_scores, problem.labels.of(i), scores.sample_square(i));
      ++result.steps;
      mistakes += step.is_right() ? 0 : 1;
      if (!options.weight.empty()) step.size *= options.weight[static_cast<std::size_t>(i)];
      if (step.size == 0) continue;
      ++updates;
      active.add(i, step);
      changes_of(problem.attributes, step, changes);
      scores.add(i, changes);
      if (!options.is_averaged) continue;
      for (AttributeChange& c : changes) c.value *= static_cast<double>(result.steps);
      scores.add_lagged(i, changes);
    }
    progress.advance(scores.samples());
    result.updates += updates;
    has_learnt = updates > 0;
    result.is_separated = mistakes == 0;
  }
  result.active = active.count();
  return result;
}

template OnlineResult learn_online(const JointProblem&, LinearScores<double>&, const StepRule&, Index,
                                   const OnlineOptions&, Context&);
template OnlineResult learn_online(const JointProblem&, DenseScores<double>&, const StepRule&, Index,
                                   const OnlineOptions&, Context&);
template OnlineResult learn_online(const JointProblem&, KernelScores&, const StepRule&, Index, const OnlineOptions&,
                                   Context&);

OnlineResult learn_minover(const JointProblem& problem, KernelScores& scores, const OnlineOptions& options,
                           Context& ctx) {
  constexpr Index kMostScores = Index{1} << 27;  // 1 GiB
  const Index n = scores.samples();
  const Index q = problem.loss.classes();
  if (n * q > kMostScores) {
    throw usage_error(fmt::format("minover keeps {} x {} scores", n, q),
                      "expected fewer samples, or `variant` averaged");
  }
  std::vector<double> all(static_cast<std::size_t>(n * q), 0);
  std::vector<double> margin(static_cast<std::size_t>(n));
  const auto of = [&](Index i) {
    return std::span(all).subspan(static_cast<std::size_t>(i * q), static_cast<std::size_t>(q));
  };
  std::vector<WorstPair> pairs(static_cast<std::size_t>(n));
  const auto measure = [&](Index i) {
    const WorstPair& pair = pairs[static_cast<std::size_t>(i)];
    margin[static_cast<std::size_t>(i)] =
        scores.square(i) == 0 ? std::numeric_limits<double>::infinity()
                              : of(i)[static_cast<std::size_t>(pair.own)] - of(i)[static_cast<std::size_t>(pair.other)];
  };
  bool has_zeros = false;  // samples from which nothing can be learnt and which are ranked wrongly
  for (Index i = 0; i < n; ++i) {
    pairs[static_cast<std::size_t>(i)] = worst_pair(of(i), problem.labels.of(i));
    measure(i);
    has_zeros = has_zeros || scores.square(i) == 0;
  }
  const ClassScorer scorer(problem.attributes);
  std::vector<double> direction(static_cast<std::size_t>(problem.attributes.count), 0);
  std::vector<double> gain(static_cast<std::size_t>(q));
  std::vector<std::int32_t> changed;
  std::vector<AttributeChange> changes;
  ActivePairs active(q);
  OnlineResult result;
  const Index most = n * options.epochs;
  Progress progress(ctx, "training", most);
  while (result.updates < most) {
    ctx.check_cancelled();
    const auto worst = std::min_element(margin.begin(), margin.end()) - margin.begin();
    if (margin[static_cast<std::size_t>(worst)] > 0) {
      result.is_separated = !has_zeros;
      break;
    }
    const WorstPair pair = pairs[static_cast<std::size_t>(worst)];
    const OnlineStep step{.own = pair.own, .other = pair.other, .size = problem.loss.of(pair.own, pair.other)};
    changes_of(problem.attributes, step, changes);
    scores.add(worst, changes);
    active.add(worst, step);
    // Scores change by K_ij <sum of the changes, Lambda(y)>.
    for (const AttributeChange& c : changes) direction[static_cast<std::size_t>(c.attribute)] = c.value;
    scorer.scores(direction.data(), gain.data());
    for (const AttributeChange& c : changes) direction[static_cast<std::size_t>(c.attribute)] = 0;
    // Classes that share no attribute with the pair keep their scores: with flat attributes, all but two.
    changed.clear();
    for (std::int32_t y = 0; y < q; ++y) {
      if (gain[static_cast<std::size_t>(y)] != 0) changed.push_back(y);
    }
    scores.begin_inner(worst);
    parallel_for(ctx, n, Index{2048}, [&](Index begin, Index end) {
      for (Index j = begin; j < end; ++j) {
        const double inner = scores.inner(j);
        if (inner == 0) continue;
        const auto own = of(j);
        for (const std::int32_t y : changed) {
          own[static_cast<std::size_t>(y)] += inner * gain[static_cast<std::size_t>(y)];
        }
        update(pairs[static_cast<std::size_t>(j)], own, problem.labels.of(j), changed);
        measure(j);
      }
    });
    ++result.updates;
    progress.advance();
  }
  result.steps = result.updates;
  result.active = active.count();
  result.epochs = static_cast<int>((result.updates + n - 1) / std::max<Index>(1, n));
  return result;
}

}  // namespace clade
