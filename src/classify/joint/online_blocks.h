#pragma once

#include <clade/context.h>

#include <cstdint>
#include <unordered_set>

#include "classify/joint/online_learner.h"

namespace clade {

// learn_online() in blocks of so many consecutive samples, for several threads. Samples are scored by the weights of
// two blocks before and corrected for the steps made since, by their inner products with the samples of those steps:
//
//   F(x_i, y) += <x_i, x_j> <change of step j, Lambda(y)>
//
// So every sample is ranked by the steps of all samples before it, as if visited one after the other; only the last
// digits of scores differ. While one thread visits the samples of a block, others score those of the next; then the
// weights take the steps of the first, and the samples of the next are corrected for them and ranked. What one thread
// does alone is little: it looks at the corrections within the block, and only where they are large enough to matter
// ranks a sample again. The result does not depend on the number of threads.
//
// The scores must not be masked.
template <class Scores>
OnlineResult learn_in_blocks(const JointProblem& problem, Scores& scores, const StepRule& rule, Index steps,
                             const OnlineOptions& options, Index block, Context& ctx);

// The number of samples of a block, by what it costs to score one; 0: too little for blocks to pay.
Index online_block(Index nonzeros_of_sample, Index attributes);

// Which (sample, own class, other class) have been updated.
class ActivePairs {
 public:
  explicit ActivePairs(Index classes) : classes_(static_cast<std::uint64_t>(classes)) {}
  void add(Index sample, const OnlineStep& step) {
    seen_.insert((static_cast<std::uint64_t>(sample) * classes_ + static_cast<std::uint64_t>(step.own)) * classes_ +
                 static_cast<std::uint64_t>(step.other));
  }
  Index count() const { return std::ssize(seen_); }

 private:
  std::uint64_t classes_;
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace clade
