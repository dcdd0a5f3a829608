#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/predict.h>

#include "classify/model_body.h"

namespace clade {

// predict() for data that has the model's features by position and only finite values.
Predictions predict(const ModelBody& model, const Dataset& data, const PredictOptions& options, Context& ctx);

// The same for a top-down model.
Predictions predict_top_down(const ModelBody& model, const Dataset& data, const PredictOptions& options, Context& ctx);

// What kAuto means for this model.
Policy chosen_policy(const ModelBody& model, const PredictOptions& options);

}  // namespace clade
