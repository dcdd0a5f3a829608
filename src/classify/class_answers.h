#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/predict.h>

#include "classify/model_body.h"

namespace clade {

// Prediction by a path or joint model: the labels chosen by options.label_set or options.threshold, or the one at which
// options.confidence stops. The scores are probabilities if the model has them. If ranked: all classes of a joint
// model, without probabilities with scores minus the sample's threshold if the model has one.
Predictions predict_at_once(const ModelBody& model, const Dataset& data, const PredictOptions& options, Context& ctx);

}  // namespace clade
