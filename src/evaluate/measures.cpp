#include "evaluate/measures.h"

#include <clade/error.h>

#include <algorithm>

namespace clade {
namespace {

constexpr std::string_view kKiritchenko = "Kiritchenko, Matwin and Famili 2005";
constexpr std::string_view kKosmopoulos = "Kosmopoulos, Partalas, Gaussier, Paliouras and Androutsopoulos 2015";
constexpr std::string_view kCai = "Cai 2008";

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

constexpr MeasureRow kRows[] = {
    {{"accuracy", "share of samples whose label set is exactly right", "", true}, Needs::kLabels, {per_sample<exact>}},
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
    {{"tie", "edges between the true and the predicted label (tree-induced error)", "Dekel, Keshet and Singer 2004",
      false},
     Needs::kLabels,
     {per_sample<distance>}},
    {{"tie_normalized", "tie divided by the largest distance in the taxonomy", "", false},
     Needs::kLabels,
     {per_sample<distance>},
     normalized_distance,
     published_distance},
    {{"f_lca", "F1 over the minimal graphs that join labels to their lowest common ancestors", kKosmopoulos, true},
     Needs::kLabels,
     {per_sample<lca_f1>}},
    {{"p_lca", "precision over the same graphs", kKosmopoulos, true}, Needs::kLabels, {per_sample<lca_precision>}},
    {{"r_lca", "recall over the same graphs", kKosmopoulos, true}, Needs::kLabels, {per_sample<lca_recall>}},
    {{"hierarchical_accuracy", "share of levels on which the true and the predicted path agree", "", true},
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
};

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

std::vector<ScoreFunction> score_functions(bool ranked) {
  std::vector<ScoreFunction> functions;
  for (const MeasureRow& row : kRows) {
    if (row.needs == Needs::kRankings && !ranked) continue;
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
    if (row.needs == Needs::kRankings && !samples.are_ranked()) {
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
