#pragma once

#include <clade/context.h>

#include <span>
#include <vector>

#include "classify/linear/hinge_dual.h"
#include "classify/linear/training_rows.h"

namespace clade {

// The classes of every row: of row r those from offsets[r] up to offsets[r + 1], ascending.
struct RowClasses {
  std::span<const Index> offsets;
  std::span<const std::int32_t> classes;
};

struct OneVsRestResult {
  LinearWeights weights;      // an output per class
  std::vector<double> alpha;  // rows x classes
  int iterations = 0;         // of the group of classes that took most
  bool has_converged = false;
};

// The problem of hinge_dual() for each of several classes over the same rows: those of the class against all others.
//
// Up to sixteen classes descend together. A row is visited once for all of them: the weights of a feature for all
// classes of the group stand side by side, so that one look at the row's features gives the decisions of the whole
// group in vector registers, and its dual variables, which do not depend on each other, move at once. A row is left out
// while all its variables are at bounds with gradients that point outwards. Every class of a group is solved when all
// are. Groups are parallel; which class is in which depends on their number only. Rows of more than options.block
// values are visited block by block, and may be larger than memory (TrainingRows::maker).
//
// `weight`, `options` and `start` (rows x classes) are as in hinge_dual(). Memory: rows x classes + columns x classes
// numbers.
OneVsRestResult one_vs_rest_dual(const TrainingRows& rows, const RowClasses& labels, Index classes,
                                 std::span<const double> weight, std::span<const double> start,
                                 const HingeOptions& options, Context& ctx);

}  // namespace clade
