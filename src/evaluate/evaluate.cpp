#include <clade/evaluate.h>
#include <clade/summary.h>
#include <fmt/core.h>

#include "core/check.h"
#include "evaluate/baseline.h"
#include "evaluate/confusions.h"
#include "evaluate/measured_samples.h"
#include "evaluate/measures.h"
#include "evaluate/reliability.h"
#include "evaluate/resampling.h"

namespace clade {
namespace {

constexpr Choice<Average> kAverageWords[] = {
    {Average::kMicro, "micro"}, {Average::kSamples, "samples"}, {Average::kMacro, "macro"}};
constexpr Choice<Protocol> kProtocolWords[] = {{Protocol::kStandard, "standard"}, {Protocol::kPublished, "published"}};
constexpr Choice<LabelSet> kLabelSetWords[] = {{LabelSet::kAuto, "auto"},
                                               {LabelSet::kTop1, "top-1"},
                                               {LabelSet::kTopK, "top-k"},
                                               {LabelSet::kThreshold, "threshold"},
                                               {LabelSet::kAll, "all"}};

constexpr Choice<Probabilities> kProbabilitiesWords[] = {
    {Probabilities::kAuto, "auto"}, {Probabilities::kYes, "yes"}, {Probabilities::kNo, "no"}};

constexpr Choice<FoldAverage> kFoldAverageWords[] = {{FoldAverage::kEqual, "equal"},
                                                     {FoldAverage::kSamples, "samples"}};
constexpr Choice<NodeMeasures> kNodeMeasuresWords[] = {
    {NodeMeasures::kAuto, "auto"}, {NodeMeasures::kYes, "yes"}, {NodeMeasures::kNo, "no"}};

constexpr Index kMostResampledPairs = 5'000'000'000;  // some ten seconds

std::vector<Index> labelled(const Dataset& data) {
  std::vector<Index> samples;
  for (Index s = 0; s < data.samples(); ++s) {
    if (!data.labels(s).empty()) samples.push_back(s);
  }
  return samples;
}

}  // namespace

void describe(ParameterTable& v, EvaluateOptions& o) {
  v("average", o.average, kAverageWords, "how hierarchical precision, recall and F1 are averaged");
  v("count-root", o.count_root, "count the root in hierarchical precision, recall and F1");
  v("protocol", o.protocol, kProtocolWords,
    "published: `average` samples `count-root`, and tie_normalized as in the feature-selection papers");
  v("label-set", o.label_set, kLabelSetWords,
    "which ranked labels form the predicted set; auto: the first, or all if samples have several labels");
  v("top-k", o.top_k, at_least(1), "size of the set with `label-set` top-k");
  v("threshold", o.threshold, anything(), "lowest score of a label in the set with `label-set` threshold");
  v("bootstrap", o.bootstrap, "confidence intervals by resampling the samples");
  v("resamples", o.resamples, between(2, 1000000), "number of resamples for the intervals");
  v("confidence-level", o.confidence, Range{.low = 0.5, .high = 0.9999}, "confidence level of the intervals");
  v("probabilities", o.probabilities, kProbabilitiesWords,
    "whether scores are probabilities; auto: if all are from 0 to 1 and some first score is neither 0 nor 1");
  v("fold-average", o.fold_average, kFoldAverageWords,
    "weight of a fold in the mean over folds: the same for all, or its number of samples");
  v("at", o.at, at_least(1), "the k of precision_at_k and recall_at_k");
  v("node-measures", o.node_measures, kNodeMeasuresWords,
    "whether to measure a model's scores at all nodes (au_prc and its kin); auto: up to 20 million scores");
  v("exclude-nodes", o.exclude_nodes, "nodes that au_prc and its kin leave out, beside the root: names with commas");
  v("loss-missed", o.loss_missed, nonnegative(), "weighted_loss: cost of a true node that is not predicted");
  v("loss-extra", o.loss_extra, nonnegative(), "weighted_loss: cost of a predicted node that is not true");
  v("loss-volumes", o.loss_volumes,
    "weighted_loss: CSV file with node,volume, by which the costs at a node are multiplied; others have 1");
  v("confusions", o.confusions, nonnegative(), "number of confusions to list, most frequent and most costly");
}

Evaluation evaluate(const Dataset& data, const Predictions& predictions, const EvaluateOptions& options,
                    std::span<const Index> folds, Context& ctx) {
  Evaluation result = measure_predictions(data, predictions, std::nullopt, options, folds, ctx);
  result.baseline = measure_constant(data, {}, false, options, folds, ctx);
  return result;
}

Evaluation measure_predictions(const Dataset& data, const Predictions& predictions,
                               const std::optional<NodeScoreRows>& node_scores, const EvaluateOptions& given,
                               std::span<const Index> folds, Context& ctx, const Predictions* decided) {
  CLADE_CHECK(folds.empty() || static_cast<Index>(folds.size()) == data.samples());
  EvaluateOptions options = given;
  if (options.protocol == Protocol::kPublished) {
    options.average = Average::kSamples;
    options.count_root = true;
  }
  const Taxonomy& taxonomy = data.taxonomy();
  const bool by_parts = options.bootstrap || !folds.empty() || options.protocol == Protocol::kPublished;
  const Outcomes outcomes = find_outcomes(data, predictions, decided, options, by_parts && node_scores, ctx);
  const AncestorTable table(taxonomy, labels_of(outcomes), ctx);
  const OutcomeDistances distances(outcomes, ctx);
  ScoredOutcomes scored{outcomes, table, options, score_functions(outcomes), largest_distance(taxonomy, ctx), {}};
  std::optional<NodeCurves> curves;
  std::vector<NodeId> left_out;
  if (node_scores) {
    left_out = nodes_left_out(taxonomy, options.exclude_nodes);
    curves.emplace(data, labelled(data), *node_scores, left_out, ctx);
  }
  if (curves && curves->has_positives()) scored.curves = &*curves;
  const OutcomeTotals totals = score_outcomes(scored, distances, by_parts, ctx);

  Evaluation result;
  result.samples = outcomes.evaluated;
  result.notes = outcomes.notes;
  if (const auto only = only_class(data)) {
    result.notes.push_back(fmt::format("all samples are of one class, '{}': any constant answer can be right", *only));
  }
  result.nodes = totals.counts.nodes;
  result.levels = level_scores(taxonomy, totals.counts);
  Confusions confusions = find_confusions(outcomes, distances, options.confusions, ctx);
  result.most_frequent = std::move(confusions.most_frequent);
  result.most_costly = std::move(confusions.most_costly);
  result.reliability = measure_reliability(outcomes, table, options, ctx);
  if (result.reliability && node_scores) {
    add_node_errors(outcomes, table, *node_scores, left_out, *result.reliability);
  }
  if (options.keep_samples) result.judged = judged_samples(outcomes);
  if (scored.curves != nullptr && options.curve_points > 0) result.curve = scored.curves->curve(options.curve_points);
  if (!by_parts) {
    result.values = measure(MeasuredSamples(scored, totals));
    return result;
  }
  const auto by_fold = outcomes_by_fold(outcomes, folds);
  FoldMeasures measured = measure_folds(scored, by_fold, ctx);
  result.values = std::move(measured.means);
  if (!folds.empty()) {
    for (std::size_t f = 0; f < by_fold.size(); ++f) {
      result.folds.push_back({std::ssize(by_fold[f]), std::move(measured.per_fold[f])});
    }
    result.deviations = std::move(measured.deviations);
  }
  if (!options.bootstrap) return result;
  if (scored.curves != nullptr && scored.curves->pairs() > kMostResampledPairs / options.resamples) {
    result.notes.push_back(fmt::format("au_prc and its kin have no intervals: {} resamples of {} scores take too long",
                                       options.resamples, scored.curves->pairs()));
    scored.curves = nullptr;
  }
  result.intervals = bootstrap(scored, by_fold, ctx);
  return result;
}

}  // namespace clade
