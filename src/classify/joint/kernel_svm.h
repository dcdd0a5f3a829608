#pragma once

#include <clade/context.h>

#include <span>

#include "classify/joint/joint_svm.h"

namespace clade {

// The outputs of all samples for all attributes are kept while this solver runs: do they fit the memory that kernel
// values may take? If not, solve_joint_svm() needs less.
bool fits_kernel_svm(const JointProblem& problem, const KernelOptions& options, Index samples);

// The problem of solve_joint_svm() with a kernel, from variables that are all 0. Solved by decomposition: samples that
// have variables or violate the conditions become the working set. Their variables move, in turn, over the kernel of
// the working set alone, which takes at most `kernel_bytes`, until these samples violate little. Then the outputs of
// all samples follow, by kernel rows that are computed together as matrix products. Samples that are content thus cost
// next to nothing. `scores` gets the coefficients.
JointSvmResult solve_kernel_svm(const JointProblem& problem, KernelScores& scores, std::span<const double> cost,
                                JointVariables& variables, const JointSvmOptions& options, Index kernel_bytes,
                                Context& ctx);

}  // namespace clade
