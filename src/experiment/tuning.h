#pragma once

#include <clade/experiment.h>

#include <vector>

#include "pipeline/learning_plan.h"

namespace clade {

// The number of the plan that does best in cross-validation on the data; the first of equals. Plans that cannot do with
// the data are passed over. Throws Error (kInput) if none can. `spared` grows by the seconds that others have spent on
// what is shared.
std::size_t best_plan(const Dataset& data, const std::vector<LearningPlan>& plans, const TuneOptions& tune,
                      const EvaluateOptions& options, const PredictOptions& predict, double& spared, Context& ctx);

// How many candidates and samples each round of successive halving has: half of the candidates go on, with twice as
// many samples. Without a budget, the last two meet on all samples; with one, the sum of candidates x samples is as
// large as it may be, and at most budget x samples. Throws Error (kInput) if that leaves too few samples for the folds.
struct HalvingRound {
  std::size_t candidates = 0;
  Index samples = 0;
};
std::vector<HalvingRound> halving_rounds(std::size_t candidates, Index samples, const TuneOptions& tune);

}  // namespace clade
