#pragma once

#include <functional>
#include <span>
#include <vector>

#include "classify/linear/hinge_descent.h"

namespace clade {

// Many two-class problems over the same rows: in problem o the rows of positives[o] (ascending) are told from all
// others, with random numbers of stream[o] (options.stream is not used). `weight` has a factor of C per row; empty: 1.
struct OneVsRestInput {
  const TrainingRows& rows;
  std::span<const std::vector<Index>> positives;
  std::span<const std::uint64_t> stream;
  std::span<const double> weight;
};

// What is known of a problem once it is solved.
struct OneVsRestSolution {
  Index problem = 0;
  const HingeDescent* descent = nullptr;  // its members have all variables that are not 0
  std::span<const double> squares;        // of all rows
  std::vector<double> decisions;          // of all rows
  int iterations = 0;                     // passes over the members
  bool has_converged = false;
};

// Solves the problems of hinge_dual.h, to the same tolerance, but each on the few rows that matter to it: all positives
// and the negatives on the wrong side of the margin. It starts with some negatives drawn at random. In each round a
// problem makes a few passes over its members; then the decisions of all rows are computed for sixteen problems at
// once, as a product of the sparse rows and a dense block of weights, negatives found on the wrong side join, and those
// far on the right side leave. A problem ends when the projected gradients of all rows, members or not, spread no wider
// than the tolerance.
//
// visit(solution) is called for every problem, from several threads; the solution is valid during the call. Blocks of
// problems run side by side, and which problems share a block depends on their numbers of positives only. One round
// costs O(non-zeros x problems) additions that run 8 or 16 at a time. Memory per thread: 16 problems x (columns +
// rows).
void solve_one_vs_rest(const OneVsRestInput& input, const HingeOptions& options,
                       const std::function<void(const OneVsRestSolution&)>& visit, Context& ctx);

}  // namespace clade
