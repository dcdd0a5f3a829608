#pragma once

#include <clade/dataset.h>
#include <clade/predict.h>

#include <vector>

#include "classify/model_body.h"

namespace clade {

// The steps from the root to `label` along its most probable path, with at most `reasons` features each. Only for
// top-down models with a score per child; empty for others.
std::vector<Step> explain(const ModelBody& model, const Dataset& data, Index sample, NodeId label, Index reasons);

}  // namespace clade
