#pragma once

#include <clade/evaluate.h>

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "evaluate/measured_samples.h"
#include "evaluate/outcome_facts.h"

namespace clade {

// What predictions must provide for a measure to apply.
enum class Needs {
  kLabels,      // a first label and a label set per sample: all predictions have them
  kRankings,    // every true label is in the list of its sample
  kDepth,       // lists have several labels, and at least as many as the measure looks at
  kNodeScores,  // a score for every node
};

// One measure: a row of the table in measures.cpp, and a function there or in a file of its own.
//
// Most measures are the mean of a score that each sample has. Others have `value`, which computes a number for a set of
// samples, from sums of scores or from counts at every node. Folds, resamples and all samples together are such sets,
// so no other code needs to know about the measure.
struct MeasureRow {
  static constexpr std::size_t kMostScores = 4;
  static constexpr Index kAsAsked = 0;  // depth: EvaluateOptions::at

  MeasureInfo info;
  Needs needs;
  // The scores whose sums `value` needs; see per_sample(). Scores that several measures need are computed once.
  std::array<ScoreFunction, kMostScores> scores;
  // Null: the mean of the first score.
  double (*value)(const MeasuredSamples& samples) = nullptr;
  // The value over folds, if it is not the mean of the folds' values; it returns nothing if the mean is right after
  // all.
  std::optional<double> (*over_folds)(std::span<const MeasuredSamples> folds) = nullptr;
  Index depth = kAsAsked;  // with Needs::kDepth: how many labels of each list it looks at
};

// In the order of measures().
std::span<const MeasureRow> measure_rows();

// The scores of all applicable measures, each once.
std::vector<ScoreFunction> score_functions(const Outcomes& outcomes);

using Measures = std::vector<std::optional<double>>;  // one per measures(); empty if it does not apply

Measures measure(const MeasuredSamples& samples);

}  // namespace clade
