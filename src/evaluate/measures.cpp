#include "evaluate/measures.h"

#include <clade/error.h>

#include <algorithm>

namespace clade {
namespace {

constexpr std::string_view kKiritchenko = "Kiritchenko et al. 2005";
constexpr std::string_view kKosmopoulos = "Kosmopoulos et al. 2015";
constexpr std::string_view kOwn = "Clade";
constexpr std::string_view kCai = "Cai 2008";
constexpr std::string_view kSchapire = "Schapire and Singer 2000";
constexpr std::string_view kVens = "Vens et al. 2008";
constexpr std::string_view kPrecisionHelp = "share of the first k labels of a sample that are true";
constexpr std::string_view kRecallHelp = "share of the true labels of a sample that are among its first k";

// Scores of one sample. Each is a template argument of per_sample(), so that one call handles a whole block of samples.

double exact(const OutcomeFacts& o) {
  return o.true_nodes == o.common_nodes && o.predicted_nodes == o.common_nodes ? 1 : 0;
}
double true_nodes(const OutcomeFacts& o) {
  return o.counted(o.true_nodes);
}
double predicted_nodes(const OutcomeFacts& o) {
  return o.counted(o.predicted_nodes);
}
double common_nodes(const OutcomeFacts& o) {
  return o.counted(o.common_nodes);
}
double precision(const OutcomeFacts& o) {
  return share(common_nodes(o), predicted_nodes(o), true_nodes(o));
}
double recall(const OutcomeFacts& o) {
  return share(common_nodes(o), true_nodes(o), predicted_nodes(o));
}
double f1(const OutcomeFacts& o) {
  return share(2 * common_nodes(o), true_nodes(o) + predicted_nodes(o), 0);
}
double distance(const OutcomeFacts& o) {
  return o.distance;
}
double lca_f1(const OutcomeFacts& o) {
  return o.lca.f1;
}
double lca_precision(const OutcomeFacts& o) {
  return o.lca.precision;
}
double lca_recall(const OutcomeFacts& o) {
  return o.lca.recall;
}
double agreeing_levels(const OutcomeFacts& o) {
  return o.levels == 0 ? 1 : 1 - o.differing_levels / o.levels;
}
double first_is_right(const OutcomeFacts& o) {
  return o.first_is_right;
}
double average_precision(const OutcomeFacts& o) {
  return o.ranking.average_precision;
}
double ranking_loss(const OutcomeFacts& o) {
  return o.ranking.ranking_loss;
}
double maximal_loss(const OutcomeFacts& o) {
  return o.ranking.maximal_loss;
}
double first_loss(const OutcomeFacts& o) {
  return o.first_loss;
}
double first_has_right_parent(const OutcomeFacts& o) {
  return o.first_has_right_parent;
}
double differing_nodes(const OutcomeFacts& o) {
  return o.true_nodes + o.predicted_nodes - 2 * o.common_nodes;
}
double weighted_loss(const OutcomeFacts& o) {
  return o.outcomes->loss.missed * o.missed_volume + o.outcomes->loss.extra * o.extra_volume;
}
double decisions(const OutcomeFacts& o) {
  return o.decisions.made;
}
double right_decisions(const OutcomeFacts& o) {
  return o.decisions.right;
}
double summed_loss(const OutcomeFacts& o) {
  return o.ranking.summed_loss;
}
double coverage(const OutcomeFacts& o) {
  return o.ranking.coverage;
}

// True labels among the first `depth` of the list; kAsAsked: as many as the user wants to look at.
template <Index depth>
double found(const OutcomeFacts& o) {
  if (o.outcomes->are_pairs()) return o.first_is_right;
  const auto sample = o.outcomes->samples[static_cast<std::size_t>(o.outcome)];
  const auto first = o.outcomes->predictions.labels_of(sample).first(
      static_cast<std::size_t>(depth == MeasureRow::kAsAsked ? o.outcomes->at : depth));
  const auto truth = o.outcomes->truth(o.outcome);
  return static_cast<double>(
      std::ranges::count_if(first, [&](NodeId label) { return std::ranges::find(truth, label) != truth.end(); }));
}
template <Index depth>
double precision_at(const OutcomeFacts& o) {
  return found<depth>(o) / static_cast<double>(depth == MeasureRow::kAsAsked ? o.outcomes->at : depth);
}
template <Index depth>
double recall_at(const OutcomeFacts& o) {
  return found<depth>(o) / static_cast<double>(o.outcomes->truth(o.outcome).size());
}

// Hierarchical precision, recall and F1 for the chosen average.

double micro_precision(const MeasuredSamples& samples) {
  return share(samples.sum(per_sample<common_nodes>), samples.sum(per_sample<predicted_nodes>),
               samples.sum(per_sample<true_nodes>));
}
double micro_recall(const MeasuredSamples& samples) {
  return share(samples.sum(per_sample<common_nodes>), samples.sum(per_sample<true_nodes>),
               samples.sum(per_sample<predicted_nodes>));
}

// Mean over the nodes that are true or predicted for some sample; a node that is never predicted has precision 0, one
// that is never true has recall 0.
double over_nodes(const MeasuredSamples& samples, std::optional<double> (NodeScore::*score)() const) {
  double counted = 0;
  double sum = 0;
  for (const NodeScore& node : samples.node_scores().subspan(samples.options().count_root ? 0 : 1)) {
    if (node.support + node.predicted == 0) continue;
    ++counted;
    sum += (node.*score)().value_or(0);
  }
  return counted == 0 ? 1 : sum / counted;
}

double hierarchical_precision(const MeasuredSamples& samples) {
  const Average average = samples.options().average;
  if (average == Average::kMacro) return over_nodes(samples, &NodeScore::precision);
  return average == Average::kSamples ? samples.mean(per_sample<precision>) : micro_precision(samples);
}
double hierarchical_recall(const MeasuredSamples& samples) {
  const Average average = samples.options().average;
  if (average == Average::kMacro) return over_nodes(samples, &NodeScore::recall);
  return average == Average::kSamples ? samples.mean(per_sample<recall>) : micro_recall(samples);
}
double hierarchical_f1(const MeasuredSamples& samples) {
  const Average average = samples.options().average;
  if (average == Average::kMacro) return over_nodes(samples, &NodeScore::f1);
  return average == Average::kSamples ? samples.mean(per_sample<f1>)
                                      : harmonic_mean(micro_precision(samples), micro_recall(samples));
}

double normalized_distance(const MeasuredSamples& samples) {
  const int largest = samples.largest_distance();
  return largest > 0 ? samples.mean(per_sample<distance>) / largest : 0;
}

// As in the feature-selection papers: the sum over a fold, averaged over folds, divided by the number of all samples.
std::optional<double> published_distance(std::span<const MeasuredSamples> folds) {
  if (folds[0].options().protocol != Protocol::kPublished) return std::nullopt;
  double sum = 0;
  double samples = 0;
  for (const MeasuredSamples& fold : folds) {
    sum += fold.sum(per_sample<distance>);
    samples += fold.samples();
  }
  return sum / static_cast<double>(folds.size()) / samples;
}

// The row of a measure of the first labels.
template <Index depth>
constexpr MeasureRow at(std::string_view name, std::string_view help, ScoreFunction score) {
  return {{name, help, "Manning et al. 2008", true}, Needs::kDepth, {score}, nullptr, nullptr, depth};
}

double decision_accuracy(const MeasuredSamples& samples) {
  return share(samples.sum(per_sample<right_decisions>), samples.sum(per_sample<decisions>), 0);
}

template <double NodeAreas::* area>
double node_area(const MeasuredSamples& samples) {
  return samples.node_areas().*area;
}

constexpr MeasureRow kRows[] = {
    {{"accuracy", "share of samples whose label set is exactly right", "Sokolova and Lapalme 2009", true},
     Needs::kLabels,
     {per_sample<exact>}},
    {{"hierarchical_precision", "share of the predicted nodes, ancestors included, that are true", kKiritchenko, true},
     Needs::kLabels,
     {per_sample<precision>, per_sample<true_nodes>, per_sample<predicted_nodes>, per_sample<common_nodes>},
     hierarchical_precision},
    {{"hierarchical_recall", "share of the true nodes, ancestors included, that are predicted", kKiritchenko, true},
     Needs::kLabels,
     {per_sample<recall>, per_sample<true_nodes>, per_sample<predicted_nodes>, per_sample<common_nodes>},
     hierarchical_recall},
    {{"hierarchical_f1", "harmonic mean of hierarchical precision and recall", kKiritchenko, true},
     Needs::kLabels,
     {per_sample<f1>, per_sample<true_nodes>, per_sample<predicted_nodes>, per_sample<common_nodes>},
     hierarchical_f1},
    {{"tie", "edges between the true and the predicted label (tree-induced error)", "Dekel et al. 2004", false},
     Needs::kLabels,
     {per_sample<distance>}},
    {{"tie_normalized", "tie divided by the largest distance in the taxonomy", kOwn, false},
     Needs::kLabels,
     {per_sample<distance>},
     normalized_distance,
     published_distance},
    {{"f_lca", "F1 over the minimal graphs that join labels to their lowest common ancestors", kKosmopoulos, true},
     Needs::kLabels,
     {per_sample<lca_f1>}},
    {{"p_lca", "precision over the same graphs", kKosmopoulos, true}, Needs::kLabels, {per_sample<lca_precision>}},
    {{"r_lca", "recall over the same graphs", kKosmopoulos, true}, Needs::kLabels, {per_sample<lca_recall>}},
    {{"hierarchical_accuracy", "share of levels on which the true and the predicted path agree", kOwn, true},
     Needs::kLabels,
     {per_sample<agreeing_levels>}},
    {{"one_accuracy", "share of samples whose first label is right", kCai, true},
     Needs::kLabels,
     {per_sample<first_is_right>}},
    {{"average_precision", "precision at each true label of the ranking, averaged", kCai, true},
     Needs::kRankings,
     {per_sample<average_precision>}},
    {{"ranking_loss", "share of pairs of a true and a wrong label that are in the wrong order", kCai, false},
     Needs::kRankings,
     {per_sample<ranking_loss>}},
    {{"maximal_loss", "largest hierarchical loss among the pairs in the wrong order", kCai, false},
     Needs::kRankings,
     {per_sample<maximal_loss>}},
    {{"top_loss", "hierarchical loss of the first label", kCai, false}, Needs::kLabels, {per_sample<first_loss>}},
    {{"parent_accuracy", "share of samples whose first label has a parent in common with a true one", kCai, true},
     Needs::kLabels,
     {per_sample<first_has_right_parent>}},
    {{"symmetric_loss", "nodes, ancestors included, that are true or predicted but not both", kCai, false},
     Needs::kLabels,
     {per_sample<differing_nodes>}},
    {{"weighted_loss", "cost of the nodes, ancestors included, that are true or predicted but not both", kCai, false},
     Needs::kLabels,
     {per_sample<weighted_loss>}},
    {{"decision_accuracy",
      "share of right choices among the children of nodes that are truly and by prediction reached", kOwn, true},
     Needs::kLabels,
     {per_sample<right_decisions>, per_sample<decisions>},
     decision_accuracy},
    {{"summed_ranking_loss", "sum over the pairs in the wrong order of the nodes above only one of the two", kCai,
      false},
     Needs::kRankings,
     {per_sample<summed_loss>}},
    {{"coverage_error", "labels to go through, best first, until all true ones are found", kSchapire, false},
     Needs::kRankings,
     {per_sample<coverage>}},
    at<1>("precision_at_1", kPrecisionHelp, per_sample<precision_at<1>>),
    at<3>("precision_at_3", kPrecisionHelp, per_sample<precision_at<3>>),
    at<5>("precision_at_5", kPrecisionHelp, per_sample<precision_at<5>>),
    at<MeasureRow::kAsAsked>("precision_at_k", kPrecisionHelp, per_sample<precision_at<MeasureRow::kAsAsked>>),
    at<1>("recall_at_1", kRecallHelp, per_sample<recall_at<1>>),
    at<3>("recall_at_3", kRecallHelp, per_sample<recall_at<3>>),
    at<5>("recall_at_5", kRecallHelp, per_sample<recall_at<5>>),
    at<MeasureRow::kAsAsked>("recall_at_k", kRecallHelp, per_sample<recall_at<MeasureRow::kAsAsked>>),
    {{"au_prc", "area under the precision-recall curve of all pairs of a sample and a node", kVens, true},
     Needs::kNodeScores,
     {},
     node_area<&NodeAreas::pooled>},
    {{"au_prc_clus", "the same area as Clus computes it", "Vens et al. 2008; Davis and Goadrich 2006", true},
     Needs::kNodeScores,
     {},
     node_area<&NodeAreas::clus>},
    {{"au_prc_macro", "mean of the nodes' own areas", kVens, true},
     Needs::kNodeScores,
     {},
     node_area<&NodeAreas::macro>},
    {{"au_prc_weighted", "mean of the nodes' own areas, weighted by their frequency", kVens, true},
     Needs::kNodeScores,
     {},
     node_area<&NodeAreas::weighted>},
};

bool is_applicable(const MeasureRow& row, const Outcomes& outcomes, bool has_node_scores) {
  switch (row.needs) {
    case Needs::kRankings:
      return outcomes.ranked;
    case Needs::kDepth:
      return outcomes.shortest_list >= (row.depth == MeasureRow::kAsAsked ? outcomes.at : row.depth);
    case Needs::kNodeScores:
      return has_node_scores;
    case Needs::kLabels:
      break;
  }
  return true;
}

}  // namespace

std::span<const MeasureRow> measure_rows() {
  return kRows;
}

std::span<const MeasureInfo> measures() {
  static const std::vector<MeasureInfo> infos = [] {
    std::vector<MeasureInfo> list;
    for (const MeasureRow& row : kRows) list.push_back(row.info);
    return list;
  }();
  return infos;
}

std::vector<ScoreFunction> score_functions(const Outcomes& outcomes) {
  std::vector<ScoreFunction> functions;
  for (const MeasureRow& row : kRows) {
    if (!is_applicable(row, outcomes, false)) continue;
    for (const ScoreFunction score : row.scores) {
      const bool is_known = std::find(functions.begin(), functions.end(), score) != functions.end();
      if (score != nullptr && !is_known) functions.push_back(score);
    }
  }
  return functions;
}

Measures measure(const MeasuredSamples& samples) {
  Measures values;
  for (const MeasureRow& row : kRows) {
    if (!is_applicable(row, samples.outcomes(), samples.has_node_scores())) {
      values.emplace_back();
    } else {
      values.emplace_back(row.value != nullptr ? row.value(samples) : samples.mean(row.scores[0]));
    }
  }
  return values;
}

std::optional<double> Evaluation::value(std::string_view measure) const {
  for (std::size_t m = 0; m < std::size(kRows); ++m) {
    if (kRows[m].info.name == measure) return values[m];
  }
  throw usage_error("no measure '" + std::string(measure) + "'");
}

}  // namespace clade
