#pragma once

#include <clade/context.h>
#include <clade/evaluate.h>

#include <span>
#include <vector>

#include "evaluate/measures.h"

namespace clade {

// The evaluated samples of each fold, by outcome; a single fold with all of them if `folds` is empty. Throws Error
// (kInput) for a fold without any.
std::vector<std::vector<Index>> outcomes_by_fold(const Outcomes& outcomes, std::span<const Index> folds);

struct FoldMeasures {
  std::vector<Measures> per_fold;
  Measures means;       // over folds, by EvaluateOptions::fold_average
  Measures deviations;  // standard deviation (n - 1); empty for a single fold
};
FoldMeasures measure_folds(const ScoredOutcomes& scored, const std::vector<std::vector<Index>>& folds, Context& ctx);

// Percentile intervals (Efron 1979) from `options.resamples` samples drawn with replacement within folds. Each resample
// has its own random stream, so the intervals do not depend on the threads.
std::vector<std::optional<Interval>> bootstrap(const ScoredOutcomes& scored,
                                               const std::vector<std::vector<Index>>& folds, Context& ctx);

}  // namespace clade
