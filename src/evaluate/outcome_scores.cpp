#include "evaluate/outcome_scores.h"

#include <algorithm>

#include "evaluate/ranking_scores.h"
#include "evaluate/ratios.h"

namespace clade {

void score_nodes(double all_true, double all_predicted, double common, double uncounted, Scores& scores) {
  const double nodes_true = all_true - uncounted;
  const double nodes_predicted = all_predicted - uncounted;
  const double nodes_common = common - uncounted;
  scores[kExactColumn] = all_true == common && all_predicted == common ? 1 : 0;
  scores[kTrueNodesColumn] = nodes_true;
  scores[kPredictedNodesColumn] = nodes_predicted;
  scores[kCommonNodesColumn] = nodes_common;
  scores[kSamplePrecisionColumn] = share(nodes_common, nodes_predicted, nodes_true);
  scores[kSampleRecallColumn] = share(nodes_common, nodes_true, nodes_predicted);
  scores[kSampleF1Column] = share(2 * nodes_common, nodes_true + nodes_predicted, 0);
  scores[kSymmetricColumn] = all_true + all_predicted - 2 * common;
}

namespace {

bool have_common_parent(const Taxonomy& taxonomy, NodeId a, NodeId b) {
  const auto above_a = taxonomy.parents(a);
  const auto above_b = taxonomy.parents(b);
  return std::find_first_of(above_a.begin(), above_a.end(), above_b.begin(), above_b.end()) != above_a.end();
}

// Mean distance of each true label to the nearest predicted one and of each predicted label to the nearest true one,
// averaged over the two directions. One label against one: their distance.
double set_distance(std::span<const int> distances, std::size_t rows) {
  const std::size_t columns = distances.size() / rows;
  double to_predicted = 0;
  double to_true = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto row = distances.subspan(r * columns, columns);
    to_predicted += *std::min_element(row.begin(), row.end());
  }
  for (std::size_t c = 0; c < columns; ++c) {
    int nearest = distances[c];
    for (std::size_t r = 1; r < rows; ++r) nearest = std::min(nearest, distances[r * columns + c]);
    to_true += nearest;
  }
  return (to_predicted / static_cast<double>(rows) + to_true / static_cast<double>(columns)) / 2;
}

}  // namespace

OutcomeScorer::OutcomeScorer(const Outcomes& outcomes, const AncestorTable& table, const OutcomeDistances& distances,
                             bool count_root)
    : outcomes_(outcomes),
      table_(table),
      distances_(distances),
      uncounted_(count_root ? 0 : 1),
      lca_(table),
      differing_(table.taxonomy().levels()) {}

Scores OutcomeScorer::score(Index outcome, NodeCounts& counts) {
  Scores scores{};
  const auto truth = outcomes_.truth(outcome);
  const auto predicted = outcomes_.predicted(outcome);
  compare_nodes(truth, predicted, scores);
  scores[kTieColumn] = set_distance(distances_.of(outcome), truth.size());
  const LcaScore lca = lca_.score(truth, predicted);
  scores[kPLcaColumn] = lca.precision;
  scores[kRLcaColumn] = lca.recall;
  scores[kFLcaColumn] = lca.f1;
  score_first(truth, outcomes_.first(outcome), scores);
  if (outcomes_.ranked) {
    const Index sample = outcomes_.samples[static_cast<std::size_t>(outcome)];
    const Predictions& predictions = outcomes_.predictions;
    const RankingScore ranking =
        score_ranking(truth, predictions.labels_of(sample), predictions.scores_of(sample), outcomes_.classes, table_);
    scores[kAveragePrecisionColumn] = ranking.average_precision;
    scores[kRankingLossColumn] = ranking.ranking_loss;
    scores[kMaximalLossColumn] = ranking.maximal_loss;
  }
  counts.add_nodes(true_nodes_, predicted_nodes_, outcomes_.weight(outcome));
  counts.add_levels(deepest_true_, differing_.levels(), outcomes_.weight(outcome));
  return scores;
}

void OutcomeScorer::compare_nodes(std::span<const NodeId> truth, std::span<const NodeId> predicted, Scores& scores) {
  const Taxonomy& taxonomy = table_.taxonomy();
  join_ancestors(table_, truth, true_nodes_);
  join_ancestors(table_, predicted, predicted_nodes_);
  differing_.clear();
  deepest_true_ = 0;
  int deepest_predicted = 0;
  double common = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < true_nodes_.size() || j < predicted_nodes_.size()) {
    const bool is_true =
        j == predicted_nodes_.size() || (i < true_nodes_.size() && true_nodes_[i] <= predicted_nodes_[j]);
    const bool is_predicted =
        i == true_nodes_.size() || (j < predicted_nodes_.size() && predicted_nodes_[j] <= true_nodes_[i]);
    const int level = taxonomy.depth(is_true ? true_nodes_[i] : predicted_nodes_[j]);
    if (is_true) deepest_true_ = std::max(deepest_true_, level);
    if (is_predicted) deepest_predicted = std::max(deepest_predicted, level);
    if (is_true && is_predicted) {
      ++common;
    } else {
      differing_.add(level);
    }
    i += is_true ? 1 : 0;
    j += is_predicted ? 1 : 0;
  }

  const auto all_true = static_cast<double>(true_nodes_.size());
  const auto all_predicted = static_cast<double>(predicted_nodes_.size());
  score_nodes(all_true, all_predicted, common, uncounted_, scores);
  const int deepest = std::max(deepest_true_, deepest_predicted);
  scores[kLevelsColumn] = deepest == 0 ? 1 : 1 - static_cast<double>(differing_.levels().size()) / deepest;
}

void OutcomeScorer::score_first(std::span<const NodeId> truth, NodeId first, Scores& scores) const {
  const bool right = std::find(truth.begin(), truth.end(), first) != truth.end();
  scores[kFirstRightColumn] = right ? 1 : 0;
  scores[kParentColumn] =
      right || std::any_of(truth.begin(), truth.end(),
                           [&](NodeId label) { return have_common_parent(table_.taxonomy(), label, first); })
          ? 1
          : 0;
  if (right) return;
  for (const NodeId label : truth) {
    scores[kTopLossColumn] = std::max(scores[kTopLossColumn], hierarchical_loss(table_, label, first));
  }
}

}  // namespace clade
