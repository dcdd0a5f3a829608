#pragma once

#include <clade/evaluate.h>
#include <clade/predict.h>
#include <clade/train.h>

#include <span>
#include <vector>

namespace clade {

// Predictions of every sample by a model that has not seen it: the whole recipe, words and treatment of missing values
// included, is learnt on the samples of the other folds.
//
// Words are learnt again if the data were read with ReadOptions::keep_words, the default. A vocabulary that was given,
// or came with the data (.meta.json), is taken as it is.
struct CrossValidation {
  Predictions predictions;              // over data.taxonomy()
  bool has_threshold = false;           // some model learnt which scores make a label set
  std::vector<double> fit_seconds;      // per fold
  std::vector<double> predict_seconds;  // per fold
};

// `folds` gives the fold (from 0) of every sample, as stratified_folds() or read_folds() do; `weights` is empty or has
// a weight per sample.
CrossValidation cross_validate(const Dataset& data, const Recipe& recipe, std::span<const Index> folds,
                               std::span<const double> weights, const PredictOptions& options, Context& ctx);

// Cross-validates and measures: means over the folds.
Evaluation evaluate(const Dataset& data, const Recipe& recipe, std::span<const Index> folds,
                    std::span<const double> weights, const EvaluateOptions& options, const PredictOptions& predict,
                    Context& ctx);

}  // namespace clade
