#pragma once

#include <clade/context.h>

#include <span>

#include "classify/joint/joint_svm.h"
#include "classify/joint/linear_scores.h"

namespace clade {

// The joint SVM by samples that do not wait for each other, for any number of threads.
//
// All samples of a block are scored at the same weights, and each solves its own part of the dual as if the others of
// its block stood still. Their changes are then added at once: tasks own ranges of features, so that no two write to
// the same weights. Samples of a block that share features all correct the same mistake, so that together they may go
// too far. Then the block's step is shortened to the best point on its way, so that the dual never falls, and samples
// take their own squares for larger from then on. The way costs nothing to know: with the changes c_i (x) x_i of the
// weights and the outputs o_i from which they were made,
//
//   dual(t) = dual(0) + t linear - t slope - t^2 bend / 2,   slope = sum_i <c_i, o_i>,
//
// and adding with t = 1 tells how much ||w||^2 grows, which is 2 slope + bend.
//
// A pass looks at all pairs of all samples. Once the largest violation is near the tolerance, samples that hardly
// violate rest until none of the others violates. The last pass looks at all samples and changes nothing, so that what
// it sees is what is reported.
//
// Nothing depends on the number of threads.
struct BlockResult {
  JointSvmResult result;
  // So many steps had to be shortened that another solver had better go on from here; the result is not measured then.
  bool has_given_up = false;
};
template <class T>
BlockResult solve_in_blocks(const JointProblem& problem, LinearScores<T>& scores, std::span<const double> cost,
                            JointVariables& variables, const JointSvmOptions& options, Index block, Context& ctx);

// How alike samples are: the mean of <|x_i|, m> / ||x_i||^2, where m is the mean of all |x_j|. 1 if all samples are
// equal, 1 / samples if no two share a feature.
double crowding(const TrainingRows& rows);

// The number of samples of a block; 0: they are so alike, or so few, that one after the other is better.
Index samples_of_block(const TrainingRows& rows);

}  // namespace clade
