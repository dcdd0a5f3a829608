#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/train.h>

#include <span>
#include <vector>

#include "classify/model_body.h"
#include "pipeline/shared_learning.h"

namespace clade {

// Those of the samples that have a label; a note counts the others. Throws Error (kInput) if none has one.
std::vector<Index> labelled_samples(const Dataset& data, const std::vector<Index>& samples, Context& ctx);
// The weights of some of the samples, both ascending; none if there are none.
std::vector<double> weights_of(const std::vector<Index>& some, const std::vector<Index>& samples,
                               std::vector<double> weights);

// All samples, in the features that a recipe learns from some of them: their vocabulary, their means for missing
// values. Done once for all who share it; `spared` grows as SharedLearning says.
Dataset learnt_features(const Dataset& data, std::span<const Index> samples, Missing missing, const SharedScope& scope,
                        double& spared, Context& ctx);

// Learns a whole recipe from some of the samples of a data set: vocabulary, replacement of missing values, selection,
// classifier. Samples without a label are left out, with a note. `weights` has one entry per such sample, or none. If
// only the leader of a team gets the model, that of the others is incomplete.
struct LearntRecipe {
  Dataset data;  // all samples, in the learnt features
  ModelBody model;
  double spared_seconds = 0;  // of what other recipes had learnt already
};
LearntRecipe learn_recipe(const Dataset& data, const std::vector<Index>& samples, const Recipe& recipe,
                          std::vector<double> weights, Context& ctx, const SharedScope& scope = {},
                          ResultsFor whom = ResultsFor::kAll);

}  // namespace clade
