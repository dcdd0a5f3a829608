#include "classify/joint/joint_svm.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "classify/joint/block_solver.h"
#include "classify/joint/ordered_solver.h"

namespace clade {

Index count_active(const JointVariables& variables) {
  Index count = 0;
  for (const auto& of_sample : variables) count += std::ssize(of_sample);
  return count;
}

double count_pairs(const JointProblem& problem, Index samples) {
  const auto classes = static_cast<double>(problem.loss.classes());
  double pairs = 0;
  for (Index i = 0; i < samples; ++i) {
    const auto own = static_cast<double>(problem.labels.of(i).size());
    pairs += own * (classes - own);
  }
  return pairs;
}

namespace {

// Samples of a block that do not wait for each other; 0: they do.
template <class T>
Index block_for(const LinearScores<T>& scores, const JointSvmOptions& options) {
  if (scores.is_masked()) return 0;
  if (options.schedule == JointSchedule::kSideBySide) return std::max<Index>(1, options.block);
  return options.schedule == JointSchedule::kFast ? samples_of_block(scores.rows()) : 0;
}

// Goes on one sample after the other where blocks have given up.
template <class Scores>
JointSvmResult continued(JointSvmResult first, const JointProblem& problem, Scores& scores,
                         std::span<const double> cost, JointVariables& variables, JointSvmOptions options,
                         Context& ctx) {
  options.iterations = std::max(1, options.iterations - static_cast<int>(first.passes.size()));
  JointSvmResult result = OrderedSolver<Scores>(problem, scores, cost, variables, options, ctx).run();
  result.passes.insert(result.passes.begin(), first.passes.begin(), first.passes.end());
  return result;
}

}  // namespace

template <class Scores>
JointSvmResult solve_joint_svm(const JointProblem& problem, Scores& scores, std::span<const double> cost,
                               JointVariables& variables, const JointSvmOptions& options, Context& ctx) {
  variables.resize(static_cast<std::size_t>(scores.samples()));
  if constexpr (std::is_same_v<Scores, LinearScores<typename Scores::Value>>) {
    const Index block = block_for(scores, options);
    if (block > 0) {
      BlockResult first = solve_in_blocks(problem, scores, cost, variables, options, block, ctx);
      if (!first.has_given_up) return std::move(first.result);
      return continued(std::move(first.result), problem, scores, cost, variables, options, ctx);
    }
  }
  return OrderedSolver<Scores>(problem, scores, cost, variables, options, ctx).run();
}

template JointSvmResult solve_joint_svm(const JointProblem&, KernelScores&, std::span<const double>, JointVariables&,
                                        const JointSvmOptions&, Context&);
template JointSvmResult solve_joint_svm(const JointProblem&, DenseScores<float>&, std::span<const double>,
                                        JointVariables&, const JointSvmOptions&, Context&);
template JointSvmResult solve_joint_svm(const JointProblem&, DenseScores<double>&, std::span<const double>,
                                        JointVariables&, const JointSvmOptions&, Context&);
template JointSvmResult solve_joint_svm(const JointProblem&, LinearScores<float>&, std::span<const double>,
                                        JointVariables&, const JointSvmOptions&, Context&);
template JointSvmResult solve_joint_svm(const JointProblem&, LinearScores<double>&, std::span<const double>,
                                        JointVariables&, const JointSvmOptions&, Context&);

}  // namespace clade
