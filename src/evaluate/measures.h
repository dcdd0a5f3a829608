#pragma once

#include <clade/evaluate.h>

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "evaluate/measured_samples.h"
#include "evaluate/outcome_facts.h"

namespace clade {

// What predictions must have for a measure to apply.
enum class Needs {
  kLabels,    // a first label and a label set per sample: all predictions do
  kRankings,  // every true label in the list of its sample
};

// One measure: a row of the table in measures.cpp, and a function there or in a file of its own.
//
// Most measures are the mean of a score that each sample has. One that is something else has `value`, which makes a
// number of a set of samples: from sums of scores, from counts at every node. Folds, resamples and all samples together
// are such sets, so nothing else has to know of the measure.
struct MeasureRow {
  static constexpr std::size_t kMostScores = 4;

  MeasureInfo info;
  Needs needs;
  // Those of which `value` asks for sums; see per_sample(). Scores that several measures need are computed once.
  std::array<ScoreFunction, kMostScores> scores;
  // Null: the mean of the first score.
  double (*value)(const MeasuredSamples& samples) = nullptr;
  // The value over folds, where it is not the mean of the values of the folds; nothing where it is after all.
  std::optional<double> (*over_folds)(std::span<const MeasuredSamples> folds) = nullptr;
};

// In the order of measures().
std::span<const MeasureRow> measure_rows();

// The scores of all measures that apply, each once.
std::vector<ScoreFunction> score_functions(bool ranked);

using Measures = std::vector<std::optional<double>>;  // one per measures(); empty where one does not apply

Measures measure(const MeasuredSamples& samples);

}  // namespace clade
