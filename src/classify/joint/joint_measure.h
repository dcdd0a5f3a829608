#pragma once

#include <clade/context.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "classify/joint/joint_svm.h"
#include "core/parallel.h"

namespace clade {

// The smallest H of a sample's variables, or 0 while its cost is not used up (u_i of (4.30)); and the largest, or 0.
inline std::pair<double, double> gradient_range(std::span<const PairVariable> variables, double cost,
                                                std::span<const double> class_scores) {
  double sum = 0;
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const PairVariable& v : variables) {
    const double h =
        v.loss * (1 - class_scores[static_cast<std::size_t>(v.own)] + class_scores[static_cast<std::size_t>(v.other)]);
    least = std::min(least, h);
    most = std::max(most, h);
    sum += v.share;
  }
  return {is_exhausted(sum, cost) ? least : std::min(least, 0.0), most};
}

// The pair of a sample with the largest H, l_i of (4.29), by definition. own = -1: none is positive.
struct LargestPair {
  double gradient = 0;
  PairVariable pair{-1, -1, 0, 0};
};
inline LargestPair largest_pair(const JointProblem& problem, Index i, std::span<const double> class_scores,
                                std::vector<double>& scratch) {
  LargestPair best;
  const auto own = problem.labels.of(i);
  for (const std::int32_t y : own) {
    const double* const loss = problem.loss.row(y, scratch);
    const double base = 1 - class_scores[static_cast<std::size_t>(y)];
    for (Index r = 0; r < problem.loss.classes(); ++r) {
      const double h = loss[r] * (base + class_scores[static_cast<std::size_t>(r)]);
      if (h <= best.gradient || std::binary_search(own.begin(), own.end(), r)) continue;
      best = {h, {y, static_cast<std::int32_t>(r), loss[r], 0}};
    }
  }
  return best;
}

// Primal, dual and violation by definition, at fixed weights.
template <class Scores>
JointSums measured(const JointProblem& problem, Scores& scores, std::span<const double> cost,
                   const JointVariables& variables, Context& ctx) {
  using T = typename Scores::Value;
  constexpr Index kGrain = 64;
  constexpr Index kPrepared = 8192;  // samples whose scores are prepared together
  const ClassScorer scorer(problem.attributes);
  std::vector<std::int32_t> block;
  JointSums total;
  for (Index begin = 0; begin < scores.samples(); begin += kPrepared) {
    block.resize(static_cast<std::size_t>(std::min(kPrepared, scores.samples() - begin)));
    std::iota(block.begin(), block.end(), static_cast<std::int32_t>(begin));
    scores.prepare(block);
    total = parallel_reduce(
        ctx, std::ssize(block), kGrain, total,
        [&](Index from, Index to) {
          JointSums part;
          std::vector<T> output(static_cast<std::size_t>(scores.stride()));
          std::vector<double> class_scores(static_cast<std::size_t>(problem.loss.classes()));
          std::vector<double> scratch;
          for (Index i = begin + from; i < begin + to; ++i) {
            scores.outputs(i, output.data());
            scorer.scores(output.data(), class_scores.data());
            const double most = largest_pair(problem, i, class_scores, scratch).gradient;
            const auto& own = variables[static_cast<std::size_t>(i)];
            const double limit = cost[static_cast<std::size_t>(i)];
            for (const PairVariable& v : own) {
              const double alpha = v.loss * v.share;
              part.linear += alpha;
              part.square += alpha * (class_scores[static_cast<std::size_t>(v.own)] -
                                      class_scores[static_cast<std::size_t>(v.other)]);
            }
            part.slack += most;
            part.slack_cost += limit * most;
            part.violation = std::max(part.violation, most - gradient_range(own, limit, class_scores).first);
          }
          return part;
        },
        [](JointSums& sum, const JointSums& part) { sum.add(part); });
  }
  return total;
}

}  // namespace clade
