#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/predict.h>

#include "classify/model_body.h"

namespace clade {

// predict() for data that have the model's features by position, all of them finite.
Predictions predict(const ModelBody& model, const Dataset& data, const PredictOptions& options, Context& ctx);

// The same for a model that chooses among the children at every node.
Predictions predict_top_down(const ModelBody& model, const Dataset& data, const PredictOptions& options, Context& ctx);

// The policy that kAuto stands for.
Policy chosen_policy(const ModelBody& model, const PredictOptions& options);

}  // namespace clade
