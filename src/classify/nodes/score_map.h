#pragma once

#include <vector>

#include "math/pooled_ranking.h"

namespace clade {

// A strictly rising function from scores to (0, 1): linear between the points (at[k], value[k]), which rise, and
// approaching 0 and 1 outside them. So it changes no ranking, and keeps scores consistent along the hierarchy. Without
// points, scores are mapped by 1 / (1 + exp(-score)).
struct ScoreMap {
  std::vector<double> at;
  std::vector<double> value;

  double operator()(double score) const;
};

// The map that makes scores the probabilities of being positive: rates of bins of all pairs together, made to rise by
// pooling neighbours. A bin has at least 50 positive pairs, so that rare ones do not make it jump.
ScoreMap fit_score_map(const RankedPairs& pairs);

}  // namespace clade
