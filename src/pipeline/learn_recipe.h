#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/train.h>

#include <span>
#include <vector>

#include "classify/model_body.h"

namespace clade {

// Learns a whole recipe from some of the samples of a data set: vocabulary, replacement of missing values, selection,
// classifier. `weights` has one entry per such sample, or none.
struct LearntRecipe {
  Dataset data;  // all samples, in the learnt features
  ModelBody model;
};
LearntRecipe learn_recipe(const Dataset& data, const std::vector<Index>& samples, const Recipe& recipe,
                          std::vector<double> weights, Context& ctx);

}  // namespace clade
