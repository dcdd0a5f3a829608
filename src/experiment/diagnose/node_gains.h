#pragma once

#include <clade/dataset.h>
#include <clade/diagnose.h>

#include <span>
#include <vector>

#include "experiment/diagnose/trials.h"

namespace clade {

// The gain of the hierarchy below each inner node over the same classes at once: both are learnt and measured on the
// samples below the node alone, with the given folds. Nodes whose children are all leaves are left out, as both are the
// same there, and so are those with samples in fewer than two folds or classes. The root has its answers already. For
// trees and one label per sample.
std::vector<NodeGain> node_gains(const Dataset& data, const Recipe& recipe, std::span<const Index> folds,
                                 const TrialAnswers& given, const TrialAnswers& flat, Context& ctx);

}  // namespace clade
