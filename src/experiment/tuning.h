#pragma once

#include <clade/experiment.h>

#include <vector>

#include "pipeline/learning_plan.h"

namespace clade {

// The number of the plan that does best in cross-validation on the data; the first of equals. Plans that cannot do with
// the data are passed over. Throws Error (kInput) if none can.
std::size_t best_plan(const Dataset& data, const std::vector<LearningPlan>& plans, const TuneOptions& tune,
                      const EvaluateOptions& options, const PredictOptions& predict, Context& ctx);

}  // namespace clade
