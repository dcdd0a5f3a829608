#include <clade/evaluate.h>
#include <clade/pipeline.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "classify/apply.h"
#include "classify/class_probabilities.h"
#include "classify/predict.h"
#include "evaluate/baseline.h"
#include "pipeline/learn_recipe.h"

namespace clade {
namespace {

// Lets joint models rank all classes, which some measures need, unless that takes too much memory.
PredictOptions ranking_all(PredictOptions options, const Dataset& data) {
  constexpr Index kMostRanked = 100'000'000;
  options.is_ranked = data.samples() * std::ssize(data.taxonomy().leaves()) <= kMostRanked;
  return options;
}

// Which of the ranked classes of a joint model are its labels: those that reach its cut, if it has one.
EvaluateOptions with_cut(EvaluateOptions options, std::optional<double> cut) {
  if (options.label_set != LabelSet::kAuto || !cut) return options;
  options.label_set = LabelSet::kThreshold;
  options.threshold = *cut;
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

void add_method(Evaluation& result, const Recipe& recipe) {
  result.method = used(classifiers(), recipe.classifier, recipe.parameters);
  if (recipe.select.method.empty()) return;
  result.selection = used(selectors(), recipe.select.method, recipe.select.parameters);
  if (!recipe.top.empty()) result.selection->parameters.emplace_back("top", recipe.top.text());
}

// Where all classes are ranked, unknown labels come last, below any threshold; elsewhere they are not predicted at all.
void rank_last(Predictions& predictions, const ModelLabels& labelled, double threshold, bool are_probabilities) {
  const auto known = std::ssize(labelled.data.taxonomy().leaves()) - std::ssize(labelled.unknown);
  for (Index s = 0; s < predictions.samples(); ++s) {
    if (std::ssize(predictions.labels_of(s)) < known) return;
  }
  Predictions longer;
  for (Index s = 0; s < predictions.samples(); ++s) {
    const auto labels = predictions.labels_of(s);
    const auto scores = predictions.scores_of(s);
    longer.labels.insert(longer.labels.end(), labels.begin(), labels.end());
    longer.scores.insert(longer.scores.end(), scores.begin(), scores.end());
    longer.labels.insert(longer.labels.end(), labelled.unknown.begin(), labelled.unknown.end());
    longer.scores.resize(longer.labels.size(), are_probabilities ? 0 : std::min({scores.back(), 0.0, threshold}) - 1);
    longer.offsets.push_back(std::ssize(longer.labels));
  }
  predictions = std::move(longer);
}

void add_unknown(Evaluation& result, const ModelLabels& labelled) {
  constexpr std::size_t kNamed = 5;
  const Taxonomy& taxonomy = labelled.data.taxonomy();
  result.unknown.labels = std::ssize(labelled.unknown);
  result.unknown.samples = labelled.samples_with_unknown;
  for (std::size_t k = 0; k < std::min(kNamed, labelled.unknown.size()); ++k) {
    result.unknown.names.push_back(taxonomy.name(labelled.unknown[k]));
  }
  result.notes.push_back(fmt::format(
      "labels that the model does not know: {}, at {} samples, which count as wrong: {}{}", result.unknown.labels,
      result.unknown.samples, fmt::join(result.unknown.names, ", "), labelled.unknown.size() > kNamed ? ", ..." : ""));
}

}  // namespace

Evaluation evaluate(const Model& model, const Dataset& data, const EvaluateOptions& options, Context& ctx) {
  return evaluate(model, data, options, {}, {}, ctx);
}

Evaluation evaluate(const Model& model, const Dataset& data, const EvaluateOptions& options,
                    const PredictOptions& predict_options, std::span<const Index> folds, Context& ctx) {
  const ModelBody& body = model.body();
  const ModelLabels labelled =
      with_model_labels(with_model_features(data, body, predict_options.align_features, ctx), body, ctx);
  const Dataset& fitting = labelled.data;
  Predictions predictions = predict(body, fitting, ranking_all(predict_options, fitting), ctx);
  if (!labelled.unknown.empty()) rank_last(predictions, labelled, options.threshold, body.has_probabilities);
  Evaluation result = measure_predictions(fitting, predictions, with_cut(options, label_cut(body)), folds, ctx);
  result.baseline = measure_constant(fitting, body.constant, options, folds, ctx);
  result.taxonomy = fitting.taxonomy();
  if (!labelled.unknown.empty()) add_unknown(result, labelled);
  result.method = {model.classifier(), model.parameters()};
  return result;
}

Evaluation evaluate(const Dataset& data, const Recipe& recipe, std::span<const Index> folds,
                    std::span<const double> weights, const EvaluateOptions& options,
                    const PredictOptions& predict_options, Context& ctx) {
  const CrossValidation validation =
      cross_validate(data, recipe, folds, weights, ranking_all(predict_options, data), ctx);
  Evaluation result =
      measure_predictions(data, validation.predictions, with_cut(options, validation.label_cut), folds, ctx);
  result.baseline = measure_constant_by_fold(data, options, folds, ctx);
  add_method(result, recipe);
  return result;
}

Evaluation evaluate(const Dataset& data, const Recipe& recipe, const Split& split, std::span<const double> weights,
                    const EvaluateOptions& options, Context& ctx) {
  std::vector<double> own_weights;
  if (!weights.empty()) {
    for (const Index s : split.train) own_weights.push_back(weights[static_cast<std::size_t>(s)]);
  }
  const auto [features, model] = learn_recipe(data, split.train, recipe, std::move(own_weights), ctx);
  const Dataset held_out = features.subset(split.test);
  const Predictions predictions = predict(model, held_out, ranking_all({}, held_out), ctx);
  Evaluation result = measure_predictions(held_out, predictions, with_cut(options, label_cut(model)), {}, ctx);
  result.baseline = measure_constant(held_out, model.constant, options, {}, ctx);
  add_method(result, recipe);
  return result;
}

}  // namespace clade
