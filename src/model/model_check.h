#pragma once

#include <clade/error.h>

#include "classify/model_body.h"

namespace clade {

// Throws Error (kInput) at `where` unless prediction with this model stays within its arrays: every node, output and
// feature exists, offsets ascend, and calibrations are functions into [0, 1]. One pass over everything but the weights.
//
// The children of a node's classifier are children of the node in the taxonomy and ascend (with kVotes they come in any
// order); there is an output per child (kScores; none for a single child) or per pair (kVotes). With kPaths, `children`
// are the nodes that are scored, any but the root, with an output for each; or there is an output for every node but
// the root, in id order. With kClasses, `children` are the classes, and there is an output per attribute.
void check_model(const ModelBody& model, const Where& where);

}  // namespace clade
