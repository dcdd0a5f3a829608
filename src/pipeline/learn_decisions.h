#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/train.h>

#include <vector>

#include "classify/model_body.h"

namespace clade {

// Gives the model, which was learnt from these samples, a way to decide on label sets, if the recipe asks for it and
// samples have several labels: the recipe is learnt again from parts of the samples, and thresholds from the scores of
// the others. `samples` have labels; `weights` has one entry each, or none.
void learn_label_decisions(ModelBody& model, const Dataset& data, const std::vector<Index>& samples,
                           const Recipe& recipe, const std::vector<double>& weights, Context& ctx);

}  // namespace clade
