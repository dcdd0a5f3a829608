#pragma once

#include <clade/context.h>
#include <clade/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "math/dense.h"

namespace clade {

// How many of the descending values are larger than the score. Where it falls is unpredictable, so the search does not
// branch.
std::size_t count_larger(double score, std::span<const double> descending);

// Scores of all pairs of a sample (row) and a class (column) in one ranking, judged by which pairs are positive.
struct PositivePairs {
  std::vector<Index> offsets{0};      // samples + 1
  std::vector<std::int32_t> columns;  // of each sample, ascending

  Index samples() const { return static_cast<Index>(offsets.size()) - 1; }
  std::span<const std::int32_t> of(Index sample) const {
    const auto s = static_cast<std::size_t>(sample);
    return {columns.data() + offsets[s], static_cast<std::size_t>(offsets[s + 1] - offsets[s])};
  }
};

// Pairs by the score of the positive ones: threshold j, descending, has `positive` pairs at it, and `negative` ones at
// it or above it but below threshold j - 1. Only the scores of positive pairs, which are few, are sorted.
struct RankedPairs {
  struct Step {
    double threshold;
    std::uint64_t positive;
    std::uint64_t negative;
  };
  std::vector<Step> steps;
  std::uint64_t positives = 0;
};

RankedPairs rank_pairs(const Matrix& scores, const PositivePairs& pairs, Context& ctx);

// The sum over steps of precision x rise of recall, as scikit-learn's average_precision_score.
double average_precision(const RankedPairs& pairs);

// The threshold at which the pairs at or above it have the largest F1, and that F1.
struct BestCut {
  double threshold;
  double f1;
};
BestCut best_cut(const RankedPairs& pairs);

}  // namespace clade
