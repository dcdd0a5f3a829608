#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/predictions.h>

#include <functional>
#include <span>

#include "classify/model_body.h"
#include "classify/predict.h"

namespace clade {

// Calls visit(sample, scores) with the scores F(x, y) of all classes of a joint model, in their order, for the samples
// from begin to end: each sample once, in any order, from several threads.
void for_each_class_scores(const ModelBody& model, const Dataset& data, Index begin, Index end, Context& ctx,
                           const std::function<void(Index, std::span<const double>)>& visit);

// Prediction by a joint model: the labels chosen by options.label_set. If ranked: all classes, with scores minus the
// sample's threshold if the model has one.
Predictions predict_classes(const ModelBody& model, const Dataset& data, const PredictOptions& options, Context& ctx);

}  // namespace clade
