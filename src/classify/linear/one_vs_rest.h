#pragma once

#include <clade/context.h>

#include <span>
#include <vector>

#include "classify/linear/hinge_dual.h"
#include "classify/linear/row_classes.h"
#include "classify/linear/training_rows.h"

namespace clade {

struct OneVsRestResult {
  LinearWeights weights;      // an output per class
  Index first = 0;            // the first of these classes
  std::vector<double> alpha;  // rows x classes
  int iterations = 0;         // of the group of classes that took most
  bool has_converged = false;
};

// The problem of hinge_dual() for each of several classes over the same rows: those of the class against all others.
//
// Up to sixteen classes descend together, or four where rows are many. A row is visited once for all of them: the
// weights of a feature for all classes of the group stand side by side, so that one look at the row's features gives
// the decisions of the whole group in vector registers, and its dual variables, which do not depend on each other, move
// at once. A row is left out while all its variables are at bounds with gradients that point outwards. Every class of a
// group is solved when all are. Groups are parallel; which class is in which depends on the numbers of classes and rows
// only. Rows of more than options.block values are visited block by block, and may be larger than memory
// (TrainingRows::maker).
//
// `weight`, `options` and `start` (rows x classes) are as in hinge_dual(). Memory: rows x classes + columns x classes
// numbers.
OneVsRestResult one_vs_rest_dual(const TrainingRows& rows, const RowClasses& labels, Index classes,
                                 std::span<const double> weight, std::span<const double> start,
                                 const HingeOptions& options, Context& ctx);

// How many groups there are.
Index one_vs_rest_groups(Index rows, Index classes);

// The same for the classes of one group alone: consecutive ones, with the weights that all of them together give it.
// `alpha` is left empty.
OneVsRestResult one_vs_rest_group(const TrainingRows& rows, const RowClasses& labels, Index classes,
                                  std::span<const double> weight, const HingeOptions& options, Index group,
                                  Context& ctx);

}  // namespace clade
