#include "pipeline/learning_plan.h"

namespace clade {

LearntRecipe learn_plan(const Dataset& data, std::vector<Index> samples, const LearningPlan& plan,
                        std::vector<double> weights, Context& ctx) {
  double spared = 0;
  const Recipe recipe = plan.choose ? plan.choose(data, samples, spared, ctx) : plan.recipe;
  const Dataset learnt_over = plan.relabel ? plan.relabel(data, samples, spared, ctx) : data;
  if (plan.arrange) plan.arrange(samples);
  LearntRecipe learnt = learn_recipe(learnt_over, samples, recipe, std::move(weights), ctx, plan.scope);
  learnt.spared_seconds += spared;
  return learnt;
}

Predictions renamed_predictions(const Predictions& predictions, const Taxonomy& from, const Taxonomy& to) {
  std::vector<NodeId> place(static_cast<std::size_t>(from.size()), kNoNode);
  for (NodeId node = 0; node < from.size(); ++node) {
    if (const auto found = to.find(from.name(node))) place[static_cast<std::size_t>(node)] = *found;
  }
  Predictions result;
  for (Index s = 0; s < predictions.samples(); ++s) {
    const auto labels = predictions.labels_of(s);
    const auto scores = predictions.scores_of(s);
    for (std::size_t k = 0; k < labels.size(); ++k) {
      const NodeId node = place[static_cast<std::size_t>(labels[k])];
      if (node == kNoNode) continue;
      result.labels.push_back(node);
      result.scores.push_back(scores[k]);
    }
    result.offsets.push_back(std::ssize(result.labels));
  }
  return result;
}

}  // namespace clade
