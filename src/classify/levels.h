#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/predict.h>

#include <vector>

#include "classify/model_body.h"

namespace clade {

// Throws Error (kInput) unless the model has probabilities, one label per sample, and a tree.
void require_levels(const ModelBody& model);

// levels_of() of clade/predict.h, for data that has the model's features by position.
std::vector<std::vector<LevelAnswer>> levels_of(const ModelBody& model, const Dataset& data,
                                                const Predictions& predictions, Context& ctx);

}  // namespace clade
