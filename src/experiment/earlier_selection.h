#pragma once

#include <clade/dataset.h>
#include <clade/experiment.h>
#include <clade/select.h>

#include "pipeline/shared_learning.h"

namespace clade {

// The ranking of the features of `data` that the samples of another file (`select-on`) give, as published tables of
// feature selection have it: features are selected on the training file, and a classifier is cross-validated on the
// test file. Made once for all recipes with the same selection. Throws Error (kInput) if the file has other features,
// or nodes that the hierarchy of the data lacks.
FeatureRanking earlier_ranking(const ExperimentData& spec, const Dataset& data, const SelectOptions& selection,
                               SharedLearning& shared, Context& ctx);

}  // namespace clade
