#pragma once

#include <clade/dataset.h>
#include <clade/diagnose.h>

#include <span>
#include <vector>

#include "core/progress.h"
#include "experiment/diagnose/trials.h"

namespace clade {

// What the inner nodes are worth: the root and those with the most samples, at most `most` in all, in the order of
// their ids. What is compared is learnt and measured on the same samples alone, those below the node or its parent,
// with the given folds; the root has its answers already. Nodes with samples in fewer than two folds or classes are
// left out. For trees and one label per sample; `labels` are the nodes that samples have.
std::vector<NodeGain> node_gains(const Dataset& data, const Recipe& recipe, std::span<const Index> folds,
                                 std::span<const NodeId> labels, const TrialAnswers& given, const TrialAnswers& flat,
                                 Index most, Progress& progress, Context& ctx);

}  // namespace clade
