#include <clade/evaluate.h>
#include <clade/pipeline.h>

#include <algorithm>

#include "classify/apply.h"
#include "classify/predict.h"

namespace clade {
namespace {

// Lets joint models rank all classes, which some measures need, unless that takes too much memory.
PredictOptions ranking_all(PredictOptions options, const Dataset& data) {
  constexpr Index kMostRanked = 100'000'000;
  options.is_ranked = data.samples() * std::ssize(data.taxonomy().leaves()) <= kMostRanked;
  return options;
}

EvaluateOptions with_threshold(EvaluateOptions options, bool has_threshold) {
  if (options.label_set == LabelSet::kAuto && has_threshold) options.label_set = LabelSet::kThreshold;
  return options;
}

// The given parameters, and defaults for the rest.
UsedMethod used(const std::vector<MethodInfo>& methods, std::string_view name, const Parameters& given) {
  UsedMethod result{std::string(name), {}};
  const auto method = std::ranges::find(methods, name, &MethodInfo::name);
  for (const ParameterInfo& parameter : method->parameters) {
    const auto value = given.find(parameter.name);
    result.parameters.emplace_back(parameter.name,
                                   value == given.end() ? parameter.default_text : value->second.text());
  }
  return result;
}

}  // namespace

Evaluation evaluate(const Model& model, const Dataset& data, const EvaluateOptions& options, Context& ctx) {
  return evaluate(model, data, options, {}, {}, ctx);
}

Evaluation evaluate(const Model& model, const Dataset& data, const EvaluateOptions& options,
                    const PredictOptions& predict_options, std::span<const Index> folds, Context& ctx) {
  const ModelBody& body = model.body();
  const Dataset fitting =
      with_model_labels(with_model_features(data, body, predict_options.align_features, ctx), body, ctx);
  const Predictions predictions = predict(body, fitting, ranking_all(predict_options, fitting), ctx);
  Evaluation result = evaluate(fitting, predictions, with_threshold(options, model.has_threshold()), folds, ctx);
  result.method = {model.classifier(), model.parameters()};
  return result;
}

Evaluation evaluate(const Dataset& data, const Recipe& recipe, std::span<const Index> folds,
                    std::span<const double> weights, const EvaluateOptions& options,
                    const PredictOptions& predict_options, Context& ctx) {
  const CrossValidation validation =
      cross_validate(data, recipe, folds, weights, ranking_all(predict_options, data), ctx);
  Evaluation result =
      evaluate(data, validation.predictions, with_threshold(options, validation.has_threshold), folds, ctx);
  result.method = used(classifiers(), recipe.classifier, recipe.parameters);
  if (!recipe.select.method.empty()) {
    result.selection = used(selectors(), recipe.select.method, recipe.select.parameters);
    if (!recipe.top.empty()) result.selection->parameters.emplace_back("top", recipe.top.text());
  }
  return result;
}

}  // namespace clade
