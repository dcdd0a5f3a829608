#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/train.h>

#include <vector>

#include "classify/model_body.h"

namespace clade {

// Learns a whole recipe from a data set: treatment of missing values, selection, classifier. `weights` has one per
// sample, or none.
ModelBody learn_recipe(const Dataset& data, const Recipe& recipe, std::vector<double> weights, Context& ctx);

}  // namespace clade
