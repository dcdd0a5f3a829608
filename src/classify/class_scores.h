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
// from begin to end; from several threads, each sample once, in any order.
void for_each_class_scores(const ModelBody& model, const Dataset& data, Index begin, Index end, Context& ctx,
                           const std::function<void(Index, std::span<const double>)>& visit);

// Prediction by a joint model: the labels that options.label_set says. Ranked: all classes, and scores less the
// sample's threshold where the model has one.
Predictions predict_classes(const ModelBody& model, const Dataset& data, const PredictOptions& options, Context& ctx);

}  // namespace clade
