#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/predictions.h>

#include "classify/model_body.h"

namespace clade {

// Prediction by a model of paths: every sample gets the top_k leaves with the best sums along their paths
// (path_sums.h).
Predictions predict_paths(const ModelBody& model, const Dataset& data, Index top_k, Context& ctx);

}  // namespace clade
