#pragma once

#include <clade/evaluate.h>
#include <clade/pipeline.h>
#include <clade/split.h>
#include <clade/train.h>

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "pipeline/learn_recipe.h"

namespace clade {

// A recipe, and what an experiment may want beside it wherever the recipe is learnt. What is empty is not done.
// `spared` grows by the seconds that others have spent on what is shared.
struct LearningPlan {
  Recipe recipe;
  // Takes another recipe, chosen by the training samples.
  using Choose = Recipe(const Dataset& data, const std::vector<Index>& samples, double& spared, Context& ctx);
  std::function<Choose> choose = {};
  // Learns over another taxonomy, which may be learnt from the training samples: all samples, with its labels.
  // Predictions are carried back by name to the taxonomy of the data, where they are measured.
  using Relabel = Dataset(const Dataset& data, const std::vector<Index>& samples, double& spared, Context& ctx);
  std::function<Relabel> relabel = {};
  // Puts the training samples into another order.
  std::function<void(std::vector<Index>& samples)> arrange = {};
  SharedScope scope = {};
  enum class Keep { kNothing, kSets, kRankings };
  Keep keep = Keep::kNothing;  // of the predictions
};

LearntRecipe learn_plan(const Dataset& data, std::vector<Index> samples, const LearningPlan& plan,
                        std::vector<double> weights, Context& ctx);

// Predictions over one taxonomy, by name over another. Nodes that it lacks are left out.
Predictions renamed_predictions(const Predictions& predictions, const Taxonomy& from, const Taxonomy& to);

CrossValidation cross_validate(const Dataset& data, const LearningPlan& plan, std::span<const Index> folds,
                               std::span<const double> weights, const PredictOptions& options, Context& ctx,
                               bool with_node_scores);

struct PlannedEvaluation {
  Evaluation evaluation;            // without a baseline
  std::vector<double> fit_seconds;  // per fold; of the plan alone, whatever was shared
  std::vector<double> predict_seconds;
  double spared_seconds = 0;  // of the fits
  struct Predicted {
    Dataset data;  // the samples, over the taxonomy of the predictions
    Predictions predictions;
    std::vector<Index> folds = {};  // of the samples, if there are several
  };
  std::optional<Predicted> predicted;  // if they are to be kept
};

// Cross-validation, as evaluate() of clade/pipeline.h.
PlannedEvaluation evaluate_plan(const Dataset& data, const LearningPlan& plan, std::span<const Index> folds,
                                const EvaluateOptions& options, const PredictOptions& predict, Context& ctx);
// Learns from one part of the samples and measures on the other.
PlannedEvaluation evaluate_plan(const Dataset& data, const LearningPlan& plan, const Split& split,
                                const EvaluateOptions& options, const PredictOptions& predict, Context& ctx);
// Learns from some of the samples and measures on data that are read for the model.
PlannedEvaluation evaluate_plan(const Dataset& data, const LearningPlan& plan, const std::vector<Index>& samples,
                                const std::function<Dataset(const Model& model)>& read_test,
                                const EvaluateOptions& options, const PredictOptions& predict, Context& ctx);

}  // namespace clade
