#pragma once

#include <clade/dataset.h>
#include <clade/predict.h>

#include <vector>

#include "classify/model_body.h"

namespace clade {

// The steps from the root to `label` along its most probable path, with at most `reasons` features each, if there is a
// score per child; path and joint models make one step, which has training samples for reasons if there is a kernel.
std::vector<Step> explain(const ModelBody& model, const Dataset& data, Index sample, NodeId label, Index reasons);

}  // namespace clade
