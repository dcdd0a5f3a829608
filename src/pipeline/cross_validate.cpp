#include <clade/error.h>
#include <clade/pipeline.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "classify/class_probabilities.h"
#include "classify/decide/label_decisions.h"
#include "classify/node_scores.h"
#include "classify/predict.h"
#include "core/stopwatch.h"
#include "pipeline/learning_plan.h"

namespace clade {
namespace {

// Where to find the predictions of a sample: the fold, and the row within it.
struct Place {
  std::size_t fold;
  Index row;
};

void place_rows(const NodeScores& scores, const std::vector<Index>& samples, Index all_samples, NodeScores& all) {
  all.nodes = scores.nodes;
  all.values.resize(static_cast<std::size_t>(all_samples * scores.nodes));
  for (std::size_t k = 0; k < samples.size(); ++k) {
    std::ranges::copy(scores.of(static_cast<Index>(k)), all.of(samples[k]).begin());
  }
}

// The predictions of all folds, in the order of the samples.
Predictions in_order(const std::vector<Predictions>& of_fold, const std::vector<Place>& place) {
  Predictions all;
  for (const auto& [fold, row] : place) {
    const auto labels = of_fold[fold].labels_of(row);
    const auto scores = of_fold[fold].scores_of(row);
    all.labels.insert(all.labels.end(), labels.begin(), labels.end());
    all.scores.insert(all.scores.end(), scores.begin(), scores.end());
    all.offsets.push_back(std::ssize(all.labels));
  }
  return all;
}

}  // namespace

CrossValidation cross_validate(const Dataset& data, const Recipe& recipe, std::span<const Index> folds,
                               std::span<const double> weights, const PredictOptions& options, Context& ctx,
                               bool with_node_scores) {
  return cross_validate(data, LearningPlan{recipe}, folds, weights, options, ctx, with_node_scores);
}

CrossValidation cross_validate(const Dataset& data, const LearningPlan& plan, std::span<const Index> folds,
                               std::span<const double> weights, const PredictOptions& options, Context& ctx,
                               bool with_node_scores) {
  check_request(plan.recipe);
  const Index count = folds.empty() ? 0 : *std::max_element(folds.begin(), folds.end()) + 1;
  std::vector<Predictions> of_fold(static_cast<std::size_t>(count));
  std::vector<Predictions> decided_of_fold(static_cast<std::size_t>(count));
  std::vector<Place> place(folds.size());
  CrossValidation result;
  std::vector<double> cuts;
  const Context::NotesOnce once(ctx);
  for (Index fold = 0; fold < count; ++fold) {
    std::vector<Index> inside;
    std::vector<Index> outside;
    std::vector<double> own_weights;
    for (std::size_t s = 0; s < folds.size(); ++s) {
      if (folds[s] == fold) {
        place[s] = {static_cast<std::size_t>(fold), std::ssize(inside)};
        inside.push_back(static_cast<Index>(s));
        continue;
      }
      outside.push_back(static_cast<Index>(s));
      if (!weights.empty()) own_weights.push_back(weights[s]);
    }
    if (outside.empty()) throw usage_error("one fold holds all samples", "expected two folds or more");
    const auto begin = std::chrono::steady_clock::now();
    const auto [features, model, spared] = learn_plan(data, std::move(outside), plan, std::move(own_weights), ctx);
    result.fit_seconds.push_back(seconds_since(begin) + spared);
    result.spared_seconds += spared;
    const bool ranks_all = ranks_all_classes(model, options);
    result.ranks_all_classes = ranks_all && (fold == 0 || result.ranks_all_classes);
    result.has_probabilities = model.has_probabilities && (fold == 0 || result.has_probabilities);
    if (const auto cut = label_cut(model)) cuts.push_back(*cut);
    const auto learnt = std::chrono::steady_clock::now();
    const Dataset held_out = features.subset(inside);
    const auto named = [&](Predictions predictions) {
      return plan.relabel ? renamed_predictions(predictions, held_out.taxonomy(), data.taxonomy()) : predictions;
    };
    of_fold[static_cast<std::size_t>(fold)] = named(predict(model, held_out, options, ctx));
    if (ranks_all) {
      PredictOptions sets = options;
      sets.is_ranked = false;
      if (decides_by_thresholds(model, sets)) {
        decided_of_fold[static_cast<std::size_t>(fold)] = named(predict(model, held_out, sets, ctx));
      }
    } else if (gives_label_sets(model, options)) {
      decided_of_fold[static_cast<std::size_t>(fold)] = of_fold[static_cast<std::size_t>(fold)];
    }
    if (with_node_scores) {
      const NodeScores scores = node_scores(model, held_out, Consistency::kDescendants, ctx);
      place_rows(scores, inside, data.samples(), result.node_scores);
    }
    result.predict_seconds.push_back(seconds_since(learnt));
  }
  if (!cuts.empty()) {
    result.label_cut = std::accumulate(cuts.begin(), cuts.end(), 0.0) / static_cast<double>(cuts.size());
  }
  result.predictions = in_order(of_fold, place);
  const bool all_decide = std::ranges::all_of(decided_of_fold, [](const Predictions& p) { return p.samples() > 0; });
  if (all_decide) result.decided = in_order(decided_of_fold, place);
  return result;
}

}  // namespace clade
