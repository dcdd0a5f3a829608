#include "evaluate/outcome_scores.h"

#include <algorithm>

#include "evaluate/ranking_scores.h"
#include "evaluate/ratios.h"

namespace clade {
namespace {

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

OutcomeDistances::OutcomeDistances(const Outcomes& outcomes, const Dataset& data, Context& ctx) : offsets_(1, 0) {
  std::vector<NodePair> pairs;
  pairs.reserve(static_cast<std::size_t>(outcomes.size()));
  offsets_.reserve(static_cast<std::size_t>(outcomes.size()) + 1);
  for (Index o = 0; o < outcomes.size(); ++o) {
    for (const NodeId y : data.labels(outcomes.sample[static_cast<std::size_t>(o)])) {
      for (const NodeId z : outcomes.predicted_set(o)) pairs.push_back({y, z});
    }
    offsets_.push_back(static_cast<Index>(pairs.size()));
  }
  distances_ = distances(data.taxonomy(), pairs, ctx);
}

OutcomeScorer::OutcomeScorer(const Outcomes& outcomes, const Dataset& data, const Predictions& predictions,
                             const AncestorTable& table, const OutcomeDistances& distances, bool count_root)
    : outcomes_(outcomes),
      data_(data),
      predictions_(predictions),
      table_(table),
      distances_(distances),
      uncounted_(count_root ? 0 : 1),
      lca_(table) {}

Scores OutcomeScorer::score(Index outcome) {
  Scores scores{};
  const Index sample = outcomes_.sample[static_cast<std::size_t>(outcome)];
  const auto truth = data_.labels(sample);
  const auto predicted = outcomes_.predicted_set(outcome);
  compare_nodes(truth, predicted, scores);
  scores[kTieColumn] = set_distance(distances_.of(outcome), truth.size());
  const LcaScore lca = lca_.score(truth, predicted);
  scores[kPLcaColumn] = lca.precision;
  scores[kRLcaColumn] = lca.recall;
  scores[kFLcaColumn] = lca.f1;
  score_first(truth, outcomes_.first[static_cast<std::size_t>(outcome)], scores);
  if (outcomes_.ranked) {
    const RankingScore ranking =
        score_ranking(truth, predictions_.labels_of(sample), predictions_.scores_of(sample), outcomes_.classes, table_);
    scores[kAveragePrecisionColumn] = ranking.average_precision;
    scores[kRankingLossColumn] = ranking.ranking_loss;
    scores[kMaximalLossColumn] = ranking.maximal_loss;
  }
  return scores;
}

void OutcomeScorer::compare_nodes(std::span<const NodeId> truth, std::span<const NodeId> predicted, Scores& scores) {
  const Taxonomy& taxonomy = data_.taxonomy();
  join_ancestors(table_, truth, true_nodes_);
  join_ancestors(table_, predicted, predicted_nodes_);
  differing_levels_.clear();
  std::size_t i = 0;
  std::size_t j = 0;
  double common = 0;
  int deepest = 0;
  while (i < true_nodes_.size() || j < predicted_nodes_.size()) {
    const bool in_truth =
        j == predicted_nodes_.size() || (i < true_nodes_.size() && true_nodes_[i] <= predicted_nodes_[j]);
    const bool in_predicted =
        i == true_nodes_.size() || (j < predicted_nodes_.size() && predicted_nodes_[j] <= true_nodes_[i]);
    const int level = taxonomy.depth(in_truth ? true_nodes_[i] : predicted_nodes_[j]);
    deepest = std::max(deepest, level);
    if (in_truth && in_predicted) {
      ++common;
    } else {
      differing_levels_.push_back(level);
    }
    i += in_truth ? 1 : 0;
    j += in_predicted ? 1 : 0;
  }
  std::sort(differing_levels_.begin(), differing_levels_.end());
  differing_levels_.erase(std::unique(differing_levels_.begin(), differing_levels_.end()), differing_levels_.end());

  const auto all_true = static_cast<double>(true_nodes_.size());
  const auto all_predicted = static_cast<double>(predicted_nodes_.size());
  const double nodes_true = all_true - uncounted_;
  const double nodes_predicted = all_predicted - uncounted_;
  const double nodes_common = common - uncounted_;
  scores[kExactColumn] = differing_levels_.empty() ? 1 : 0;
  scores[kTrueNodesColumn] = nodes_true;
  scores[kPredictedNodesColumn] = nodes_predicted;
  scores[kCommonNodesColumn] = nodes_common;
  scores[kSamplePrecisionColumn] = share(nodes_common, nodes_predicted, nodes_true);
  scores[kSampleRecallColumn] = share(nodes_common, nodes_true, nodes_predicted);
  scores[kSampleF1Column] = harmonic_mean(scores[kSamplePrecisionColumn], scores[kSampleRecallColumn]);
  scores[kLevelsColumn] = deepest == 0 ? 1 : 1 - static_cast<double>(differing_levels_.size()) / deepest;
  scores[kSymmetricColumn] = all_true + all_predicted - 2 * common;
}

void OutcomeScorer::score_first(std::span<const NodeId> truth, NodeId first, Scores& scores) {
  const auto parents = data_.taxonomy().parents(first);
  const auto shares_parent = [&](NodeId label) {
    const auto others = data_.taxonomy().parents(label);
    return std::find_first_of(parents.begin(), parents.end(), others.begin(), others.end()) != parents.end();
  };
  const bool right = std::find(truth.begin(), truth.end(), first) != truth.end();
  scores[kFirstRightColumn] = right ? 1 : 0;
  scores[kParentColumn] = right || std::any_of(truth.begin(), truth.end(), shares_parent) ? 1 : 0;
  if (right) return;
  for (const NodeId label : truth) {
    scores[kTopLossColumn] = std::max(scores[kTopLossColumn], hierarchical_loss(table_, label, first));
  }
}

}  // namespace clade
