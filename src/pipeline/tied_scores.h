#pragma once

#include <clade/types.h>

#include <span>

namespace clade {

// Calibration scores of several folds, each by a model of its own. Where many samples of a fold have the same score, as
// with a model that ignores the features, a threshold at that score holds for all of them at once. The models of the
// folds differ a little, and so does the final one: its score for the same samples may lie just above the threshold,
// and all of them are lost. So such scores are raised to the largest score that any fold has at the same rank. Others
// stay.
//
// `fold_begin` has where the scores of each fold begin, and where the last ends.
void lift_ties(std::span<float> scores, std::span<const Index> fold_begin);

}  // namespace clade
