#pragma once

#include <clade/context.h>
#include <clade/evaluate.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evaluate/node_areas.h"
#include "evaluate/outcome_facts.h"

namespace clade {

// Sums, over samples, of the scores that measures are computed from.
struct ScoreSums {
  double samples = 0;
  std::vector<double> sums;  // one per score function

  // Adds consecutive outcomes: their weights, and their rows of scores.
  void add(std::span<const double> weights, const double* scores);
  void add(const ScoreSums& other);
};

// Outcomes, with everything needed to measure any part of the samples.
struct ScoredOutcomes {
  const Outcomes& outcomes;
  const AncestorTable& table;
  const EvaluateOptions& options;
  std::vector<ScoreFunction> functions;  // each function once
  int largest_distance = 0;              // in the taxonomy
  std::vector<double> scores;            // if kept: one per outcome and function
  const NodeCurves* curves = nullptr;    // of the scores of all nodes, if there are any
};

// Sums and counts over all outcomes.
struct OutcomeTotals {
  ScoreSums sums;
  NodeCounts counts;
};

// Compares true and predicted labels of all outcomes, in one pass for all measures; keeps the scores if `keep`.
OutcomeTotals score_outcomes(ScoredOutcomes& scored, const OutcomeDistances& distances, bool keep, Context& ctx);

// A set of samples (all, a fold, a resample) as a measure sees it: outcomes with the number of times each counts, and
// sums of their scores. Everything it was made from must outlive it.
class MeasuredSamples {
 public:
  using Weights = std::vector<std::uint32_t>;  // how often each outcome counts

  // All samples.
  MeasuredSamples(const ScoredOutcomes& scored, const OutcomeTotals& totals);
  // Requires that scores were kept. O(outcomes x functions).
  MeasuredSamples(const ScoredOutcomes& scored, Weights weights);

  double samples() const { return sums_.samples; }
  // `score` must be listed in a row of the table of measures.
  double sum(ScoreFunction score) const;
  double mean(ScoreFunction score) const { return sum(score) / samples(); }
  // One per node of the taxonomy, in id order; counted when first asked for.
  std::span<const NodeScore> node_scores() const;
  const EvaluateOptions& options() const { return scored_.options; }
  int largest_distance() const { return scored_.largest_distance; }
  const Outcomes& outcomes() const { return scored_.outcomes; }
  bool has_node_scores() const { return scored_.curves != nullptr; }
  // Requires has_node_scores(); computed when first asked for.
  const NodeAreas& node_areas() const;

 private:
  const ScoredOutcomes& scored_;
  ScoreSums sums_;
  Weights weights_;  // empty: node_scores_ is already filled
  mutable std::vector<NodeScore> node_scores_;
  mutable std::optional<NodeAreas> node_areas_;
};

}  // namespace clade
