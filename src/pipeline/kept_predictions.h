#pragma once

#include <clade/evaluate.h>
#include <clade/predictions.h>

#include <optional>

#include "pipeline/learning_plan.h"

namespace clade {

// What is kept of predictions that were measured with these options, so that measuring it again gives the same values:
// rankings as they are, or label sets alone. `decided` are the label sets that the model decided on (no samples: it did
// not), `cut` the score from which on a ranked class is a label. Samples without any label get the root.
Predictions kept_predictions(const Dataset& data, const Predictions& predictions, const Predictions& decided,
                             std::optional<double> cut, const EvaluateOptions& options, LearningPlan::Keep keep);

}  // namespace clade
