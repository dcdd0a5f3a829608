#include <clade/evaluate.h>
#include <clade/pipeline.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "classify/apply.h"
#include "classify/class_probabilities.h"
#include "classify/decide/label_decisions.h"
#include "classify/node_scores.h"
#include "classify/predict.h"
#include "comm/team.h"
#include "core/memory_size.h"
#include "core/stopwatch.h"
#include "evaluate/baseline.h"
#include "pipeline/kept_predictions.h"
#include "pipeline/learning_plan.h"
#include "pipeline/shared_predictions.h"

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

// Whether to score all nodes; a note says why not.
bool scores_nodes(const EvaluateOptions& options, Index samples, Index nodes, std::vector<std::string>& notes) {
  constexpr Index kMostScores = 20'000'000;
  constexpr double kBytes = 24;  // per score: itself, its places, and what is worked on
  if (options.node_measures == NodeMeasures::kNo) return false;
  if (options.node_measures == NodeMeasures::kAuto && samples > kMostScores / nodes) {
    notes.push_back(
        fmt::format("au_prc and its kin are left out, for {} samples x {} nodes are many scores (`node-measures` yes "
                    "measures them)",
                    samples, nodes));
    return false;
  }
  const double needed = kBytes * static_cast<double>(samples) * static_cast<double>(nodes);
  if (needed > default_memory_limit()) {
    throw usage_error(fmt::format("`node-measures`: the scores of {} samples at {} nodes need {} of memory", samples,
                                  nodes, bytes_text(needed)),
                      fmt::format("expected at most {}", bytes_text(default_memory_limit())));
  }
  return true;
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

// Measures rankings, with their label sets if these are decided in another way; no samples: they are not.
Evaluation measure_sets(const Dataset& data, const Predictions& predictions, const Predictions& decided,
                        const std::optional<NodeScoreRows>& scores, const EvaluateOptions& options,
                        std::optional<double> cut, std::span<const Index> folds, Context& ctx) {
  if (decided.samples() > 0) return measure_predictions(data, predictions, scores, options, folds, ctx, &decided);
  return measure_predictions(data, predictions, scores, with_cut(options, cut), folds, ctx);
}

// Appends to rankings of all classes that the model can predict the labels of the data that it cannot, below any
// threshold, so that measures of rankings apply and count them.
void rank_last(Predictions& predictions, const Dataset& data, double threshold, bool are_probabilities,
               std::vector<std::string>& notes) {
  std::vector<char> is_label(static_cast<std::size_t>(data.taxonomy().size()), 0);
  for (Index s = 0; s < data.samples(); ++s) {
    for (const NodeId label : data.labels(s)) is_label[static_cast<std::size_t>(label)] = 1;
  }
  std::vector<NodeId> labels;
  for (NodeId node = 0; node < data.taxonomy().size(); ++node) {
    if (is_label[static_cast<std::size_t>(node)] != 0) labels.push_back(node);
  }
  std::vector<Index> listed_by(is_label.size(), -1);  // the last sample that lists the node
  Index appended = 0;
  Predictions longer;
  for (Index s = 0; s < predictions.samples(); ++s) {
    const auto list = predictions.labels_of(s);
    const auto scores = predictions.scores_of(s);
    longer.labels.insert(longer.labels.end(), list.begin(), list.end());
    longer.scores.insert(longer.scores.end(), scores.begin(), scores.end());
    for (const NodeId label : list) listed_by[static_cast<std::size_t>(label)] = s;
    for (const NodeId label : labels) {
      if (listed_by[static_cast<std::size_t>(label)] != s) longer.labels.push_back(label);
    }
    appended += std::ssize(longer.labels) - std::ssize(longer.scores);
    longer.scores.resize(longer.labels.size(), are_probabilities ? 0 : std::min({scores.back(), 0.0, threshold}) - 1);
    longer.offsets.push_back(std::ssize(longer.labels));
  }
  if (appended == 0) return;
  Index samples = 0;
  for (Index s = 0; s < data.samples(); ++s) {
    const auto list = predictions.labels_of(s);
    const auto truth = data.labels(s);
    if (std::ranges::any_of(truth, [&](NodeId y) { return std::ranges::find(list, y) == list.end(); })) ++samples;
  }
  if (samples > 0) {
    notes.push_back(fmt::format("samples with a label that no training sample has, which is ranked last: {}", samples));
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

// Cross-validates and measures, without a baseline.
PlannedEvaluation validated(const Dataset& data, const LearningPlan& plan, std::span<const Index> folds,
                            std::span<const double> weights, const EvaluateOptions& options,
                            const PredictOptions& predict_options, bool has_nodes, Context& ctx) {
  CrossValidation validation =
      cross_validate(data, plan, folds, weights, ranking_all(predict_options, data), ctx, has_nodes);
  std::vector<std::string> notes;
  if (validation.ranks_all_classes)
    rank_last(validation.predictions, data, options.threshold, validation.has_probabilities, notes);
  std::optional<NodeScoreRows> rows;
  if (has_nodes) rows.emplace(validation.node_scores);
  PlannedEvaluation result{
      measure_sets(data, validation.predictions, validation.decided, rows, options, validation.label_cut, folds, ctx),
      std::move(validation.fit_seconds),
      std::move(validation.predict_seconds),
      validation.spared_seconds,
      {}};
  if (plan.keep != LearningPlan::Keep::kNothing) {
    result.predicted = {
        data,
        kept_predictions(data, validation.predictions, validation.decided, validation.label_cut, options, plan.keep),
        {folds.begin(), folds.end()}};
  }
  result.evaluation.notes.insert(result.evaluation.notes.end(), notes.begin(), notes.end());
  return result;
}

// Where predictions that are kept go.
struct Keeping {
  LearningPlan::Keep keep = LearningPlan::Keep::kNothing;
  std::optional<PlannedEvaluation::Predicted>* kept = nullptr;

  void operator()(const Dataset& data, const Predictions& predictions, const Predictions& decided,
                  std::optional<double> cut, const EvaluateOptions& options) const {
    if (keep == LearningPlan::Keep::kNothing) return;
    *kept = {data, kept_predictions(data, predictions, decided, cut, options, keep)};
  }
};

// Predicts for samples that a model has not seen and measures, without a baseline.
Evaluation measured(const ModelBody& model, const Dataset& held_out, const Taxonomy& measured_over,
                    const Dataset& truth, const EvaluateOptions& options, const PredictOptions& predict_options,
                    Context& ctx, const Keeping& keep = {}) {
  const PredictOptions ranking = ranking_all(predict_options, held_out);
  const bool is_other = held_out.taxonomy() != measured_over;
  const auto named = [&](Predictions found) {
    return is_other ? renamed_predictions(found, held_out.taxonomy(), measured_over) : found;
  };
  Predictions predictions = named(predict(model, held_out, ranking, ctx));
  Predictions decided;
  if (ranks_all_classes(model, ranking) && decides_by_thresholds(model, predict_options)) {
    decided = named(predict(model, held_out, predict_options, ctx));
  }
  if (gives_label_sets(model, ranking)) decided = predictions;
  std::vector<std::string> notes;
  if (ranks_all_classes(model, ranking)) {
    rank_last(predictions, truth, options.threshold, model.has_probabilities, notes);
  }
  keep(truth, predictions, decided, label_cut(model), options);
  Evaluation result = measure_sets(truth, predictions, decided, std::nullopt, options, label_cut(model), {}, ctx);
  result.notes.insert(result.notes.end(), notes.begin(), notes.end());
  return result;
}

// What a model says of labelled data that have its features.
struct Answers {
  std::vector<std::string> notes;
  Predictions predictions;
  Predictions decided;
  bool has_nodes = false;
  NodeScores scores;
};

// Does this process get what the team finds together?
bool gets_results(Context& ctx) {
  const Team* const team = team_of(ctx);
  return team == nullptr || team->leads();
}

// Shared by the processes of the team; the leader gets the answers.
Answers answers_of(const ModelBody& body, const Dataset& fitting, const EvaluateOptions& options,
                   const PredictOptions& predict_options, Context& ctx) {
  Answers answers;
  const PredictOptions ranking = ranking_all(predict_options, fitting);
  const bool decides = ranks_all_classes(body, ranking) && decides_by_thresholds(body, predict_options);
  answers.predictions = predict_together(body, fitting, ranking, ctx);
  if (gets_results(ctx) && ranks_all_classes(body, ranking)) {
    rank_last(answers.predictions, fitting, options.threshold, body.has_probabilities, answers.notes);
  }
  answers.has_nodes = scores_nodes(options, fitting.samples(), fitting.taxonomy().size(), answers.notes);
  if (answers.has_nodes) answers.scores = score_nodes_together(body, fitting, Consistency::kDescendants, ctx);
  if (decides && !answers.has_nodes) answers.decided = predict_together(body, fitting, predict_options, ctx);
  if (!gets_results(ctx)) return answers;
  if (decides && answers.has_nodes) answers.decided = decided_sets(body, answers.scores, ctx);
  if (!decides && gives_label_sets(body, ranking)) answers.decided = answers.predictions;
  return answers;
}

// Of data with the features of the model. The processes of a team share the work, and its leader gets the result.
Evaluation evaluate_fitting(const Model& model, const Dataset& data, const EvaluateOptions& options,
                            const PredictOptions& predict_options, std::span<const Index> folds, Context& ctx,
                            const Keeping& keep = {}) {
  const ModelBody& body = model.body();
  const ModelLabels labelled = with_model_labels(data, body, ctx);
  const Dataset& fitting = labelled.data;
  const Answers answers = answers_of(body, fitting, options, predict_options, ctx);
  if (!gets_results(ctx)) return {};
  std::optional<NodeScoreRows> rows;
  if (answers.has_nodes) rows.emplace(answers.scores);
  keep(fitting, answers.predictions, answers.decided, label_cut(body), options);
  Evaluation result =
      measure_sets(fitting, answers.predictions, answers.decided, rows, options, label_cut(body), folds, ctx);
  result.baseline = measure_constant(fitting, body.constant, answers.has_nodes, options, folds, ctx);
  result.notes.insert(result.notes.end(), answers.notes.begin(), answers.notes.end());
  result.taxonomy = fitting.taxonomy();
  if (!labelled.unknown.empty()) add_unknown(result, labelled);
  result.method = {model.classifier(), model.parameters()};
  return result;
}

}  // namespace

Evaluation evaluate(const Model& model, const Dataset& data, const EvaluateOptions& options, Context& ctx) {
  const Dataset fitting = with_model_features(data, model.body(), false, ctx, false);
  return evaluate_fitting(model, fitting, options, {}, {}, ctx);
}

Evaluation evaluate(const Model& model, const Dataset& data, const EvaluateOptions& options,
                    const PredictOptions& predict_options, std::span<const Index> folds, Context& ctx) {
  const Dataset fitting = with_model_features(data, model.body(), predict_options.align_features, ctx);
  return evaluate_fitting(model, fitting, options, predict_options, folds, ctx);
}

Evaluation evaluate(const Dataset& data, const Recipe& recipe, std::span<const Index> folds,
                    std::span<const double> weights, const EvaluateOptions& options,
                    const PredictOptions& predict_options, Context& ctx) {
  std::vector<std::string> notes;
  const bool has_nodes = scores_nodes(options, data.samples(), data.taxonomy().size(), notes);
  Evaluation result = validated(data, {recipe}, folds, weights, options, predict_options, has_nodes, ctx).evaluation;
  result.baseline = measure_constant_by_fold(data, has_nodes, options, folds, ctx);
  result.notes.insert(result.notes.end(), notes.begin(), notes.end());
  add_method(result, recipe);
  return result;
}

Evaluation evaluate(const Dataset& data, const Recipe& recipe, const Split& split, std::span<const double> weights,
                    const EvaluateOptions& options, Context& ctx) {
  std::vector<double> own_weights;
  if (!weights.empty()) {
    for (const Index s : split.train) own_weights.push_back(weights[static_cast<std::size_t>(s)]);
  }
  const auto [features, model, spared] = learn_recipe(data, split.train, recipe, std::move(own_weights), ctx);
  const Dataset held_out = features.subset(split.test);
  Evaluation result = measured(model, held_out, data.taxonomy(), held_out, options, {}, ctx);
  result.baseline = measure_constant(held_out, model.constant, false, options, {}, ctx);
  add_method(result, recipe);
  return result;
}

PlannedEvaluation evaluate_plan(const Dataset& data, const LearningPlan& plan, std::span<const Index> folds,
                                const EvaluateOptions& options, const PredictOptions& predict_options, Context& ctx) {
  std::vector<std::string> notes;
  const bool has_nodes = !plan.relabel && scores_nodes(options, data.samples(), data.taxonomy().size(), notes);
  return validated(data, plan, folds, {}, options, predict_options, has_nodes, ctx);
}

PlannedEvaluation evaluate_plan(const Dataset& data, const LearningPlan& plan, const Split& split,
                                const EvaluateOptions& options, const PredictOptions& predict_options, Context& ctx) {
  const auto begin = std::chrono::steady_clock::now();
  const auto [features, model, spared] = learn_plan(data, split.train, plan, {}, ctx);
  const double fit = seconds_since(begin) + spared;
  const auto learnt = std::chrono::steady_clock::now();
  PlannedEvaluation result;
  result.evaluation = measured(model, features.subset(split.test), data.taxonomy(), data.subset(split.test), options,
                               predict_options, ctx, {plan.keep, &result.predicted});
  result.fit_seconds = {fit};
  result.spared_seconds = spared;
  result.predict_seconds = {seconds_since(learnt)};
  return result;
}

PlannedEvaluation evaluate_plan(const Dataset& data, const LearningPlan& plan, const std::vector<Index>& samples,
                                const std::function<Dataset(const Model& model)>& read_test,
                                const EvaluateOptions& options, const PredictOptions& predict_options, Context& ctx) {
  const auto begin = std::chrono::steady_clock::now();
  LearntRecipe learnt = learn_plan(data, samples, plan, {}, ctx);
  const double fit = seconds_since(begin) + learnt.spared_seconds;
  const Model model(std::make_shared<const ModelBody>(std::move(learnt.model)));
  const Dataset test = read_test(model);
  const auto predicting = std::chrono::steady_clock::now();
  PlannedEvaluation result;
  if (plan.relabel) {
    const Dataset fitting = with_model_features(test, model.body(), predict_options.align_features, ctx);
    result.evaluation = measured(model.body(), with_model_labels(fitting, model.body(), ctx).data, test.taxonomy(),
                                 test, options, predict_options, ctx, {plan.keep, &result.predicted});
  } else {
    const Dataset fitting = with_model_features(test, model.body(), predict_options.align_features, ctx);
    result.evaluation =
        evaluate_fitting(model, fitting, options, predict_options, {}, ctx, {plan.keep, &result.predicted});
  }
  result.fit_seconds = {fit};
  result.spared_seconds = learnt.spared_seconds;
  result.predict_seconds = {seconds_since(predicting)};
  return result;
}

}  // namespace clade
