#pragma once

#include <clade/evaluate.h>
#include <clade/node_scores.h>
#include <clade/predict.h>
#include <clade/split.h>
#include <clade/train.h>

#include <optional>
#include <span>
#include <vector>

namespace clade {

// Predictions for every sample by a model that has not seen it: the whole recipe, including vocabulary and treatment of
// missing values, is learnt on the samples of the other folds.
//
// The vocabulary is learnt again if the data was read with ReadOptions::keep_words, the default. A vocabulary that was
// given, or came with the data (.meta.json), is used unchanged.
struct CrossValidation {
  Predictions predictions;         // over data.taxonomy()
  Predictions decided;             // the label sets, where they are not a matter of the ranking; else no samples
  NodeScores node_scores;          // over data.taxonomy(), if asked for
  bool ranks_all_classes = false;  // do the predictions of every model rank all classes that it knows?
  bool has_probabilities = false;  // are the scores of every model probabilities?
  // The score from which on a ranked class is a label, the mean over the folds; none: the best class is the only label.
  std::optional<double> label_cut;
  std::vector<double> fit_seconds;      // per fold
  std::vector<double> predict_seconds;  // per fold
  double spared_seconds = 0;            // of the fits: of what was learnt already, where learning is shared
};

// `folds` gives the fold (from 0) of every sample, as returned by stratified_folds() or read_folds(); `weights` is
// empty or has a weight per sample.
CrossValidation cross_validate(const Dataset& data, const Recipe& recipe, std::span<const Index> folds,
                               std::span<const double> weights, const PredictOptions& options, Context& ctx,
                               bool with_node_scores = false);

// Cross-validates and measures: the values are means over the folds.
Evaluation evaluate(const Dataset& data, const Recipe& recipe, std::span<const Index> folds,
                    std::span<const double> weights, const EvaluateOptions& options, const PredictOptions& predict,
                    Context& ctx);

// Learns the whole recipe on one part of the samples and measures it on the other.
Evaluation evaluate(const Dataset& data, const Recipe& recipe, const Split& split, std::span<const double> weights,
                    const EvaluateOptions& options, Context& ctx);

}  // namespace clade
