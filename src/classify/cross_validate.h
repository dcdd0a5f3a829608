#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/model.h>
#include <clade/predictions.h>

#include <functional>
#include <span>

#include "classify/predict.h"

namespace clade {

// Predicts every sample by a model trained on the samples of the other folds. `folds` has the fold of every sample;
// train(data, samples) makes a model of a part of the data, `samples` being its rows in the whole. Labels of the result
// are nodes of data.taxonomy(). Throws Error (kInput) where a fold leaves nothing to train on.
Predictions cross_validate(const Dataset& data, std::span<const Index> folds, const PredictOptions& options,
                           const std::function<Model(const Dataset&, const std::vector<Index>&)>& train, Context& ctx);

}  // namespace clade
