#include "evaluate/pair_scores.h"

#include <algorithm>

namespace clade {

PairScorer::PairScorer(const Outcomes& outcomes, const AncestorTable& table, const OutcomeDistances& distances,
                       bool count_root)
    : outcomes_(outcomes),
      table_(table),
      distances_(distances),
      uncounted_(count_root ? 0 : 1),
      differing_(table.taxonomy().levels()),
      covered_(static_cast<std::size_t>(table.taxonomy().size()), 0) {}

Scores PairScorer::score(Index outcome, NodeCounts& counts) {
  const NodePair pair = outcomes_.pairs[static_cast<std::size_t>(outcome)];
  const Index weight = outcomes_.weights[static_cast<std::size_t>(outcome)];
  const auto truth = table_.of(pair.a);
  const auto predicted = table_.of(pair.b);
  const auto true_count = static_cast<double>(truth.size());
  const auto predicted_count = static_cast<double>(predicted.size());
  NodeScore& true_label = counts.labels[static_cast<std::size_t>(pair.a)];
  NodeScore& predicted_label = counts.labels[static_cast<std::size_t>(pair.b)];
  true_label.support += weight;
  predicted_label.predicted += weight;

  Scores scores{};
  if (pair.a == pair.b) {
    true_label.correct += weight;
    score_nodes(true_count, true_count, true_count, uncounted_, scores);
    for (const ScoreColumn column :
         {kPLcaColumn, kRLcaColumn, kFLcaColumn, kLevelsColumn, kFirstRightColumn, kParentColumn}) {
      scores[column] = 1;
    }
    return scores;
  }

  if (table_.taxonomy().is_tree()) {
    compare_ways(truth, predicted);
    const auto shared = static_cast<std::size_t>(common_count_);
    for (std::size_t k = 0; k < shared; ++k) counts.nodes[static_cast<std::size_t>(truth[k].node)].correct += weight;
  } else {
    compare_ancestors(truth, predicted);
    for (const CommonNode& node : common_) counts.nodes[static_cast<std::size_t>(node.node)].correct += weight;
  }
  const int true_level = truth.back().level;
  for (const int level : differing_.levels()) {
    if (level <= true_level) counts.level_wrong[static_cast<std::size_t>(level)] += weight;
  }

  score_nodes(true_count, predicted_count, common_count_, uncounted_, scores);
  const int deepest = std::max(true_level, predicted.back().level);
  scores[kLevelsColumn] = 1 - static_cast<double>(differing_.levels().size()) / deepest;
  scores[kTieColumn] = distances_.of(outcome)[0];
  scores[kTopLossColumn] = scores[kSymmetricColumn] / 2;
  scores[kParentColumn] = have_common_parent(table_.taxonomy(), pair.a, pair.b) ? 1 : 0;
  const CommonNode join = connector();
  scores[kPLcaColumn] = 1.0 / (join.predicted_steps + 1);
  scores[kRLcaColumn] = 1.0 / (join.true_steps + 1);
  scores[kFLcaColumn] = 2.0 / (join.predicted_steps + join.true_steps + 2);
  return scores;
}

// Tree: the ancestors are the way from the root, and the common ones are its start.
void PairScorer::compare_ways(std::span<const Ancestor> truth, std::span<const Ancestor> predicted) {
  std::size_t shared = 0;
  const std::size_t shorter = std::min(truth.size(), predicted.size());
  while (shared < shorter && truth[shared].node == predicted[shared].node) ++shared;
  common_count_ = static_cast<double>(shared);
  const Ancestor lowest = truth[shared - 1];
  common_.assign(1, {lowest.node, lowest.steps, predicted[shared - 1].steps});
  differing_.clear();
  const auto longer = static_cast<int>(std::max(truth.size(), predicted.size()));
  for (int level = static_cast<int>(shared); level < longer; ++level) differing_.add(level);
}

void PairScorer::compare_ancestors(std::span<const Ancestor> truth, std::span<const Ancestor> predicted) {
  common_.clear();
  differing_.clear();
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < truth.size() && j < predicted.size()) {
    const Ancestor& a = truth[i];
    const Ancestor& b = predicted[j];
    if (a.node == b.node) {
      common_.push_back({a.node, a.steps, b.steps});
      ++i;
      ++j;
    } else {
      const bool a_first = a.node < b.node;
      differing_.add(a_first ? a.level : b.level);
      i += a_first ? 1 : 0;
      j += a_first ? 0 : 1;
    }
  }
  for (; i < truth.size(); ++i) differing_.add(truth[i].level);
  for (; j < predicted.size(); ++j) differing_.add(predicted[j].level);
  common_count_ = static_cast<double>(common_.size());
}

// Of the lowest common ancestors the nearest; of several, the one with the largest id.
PairScorer::CommonNode PairScorer::connector() {
  if (common_.size() == 1) return common_[0];
  ++round_;
  CommonNode best = common_.back();
  for (auto node = common_.rbegin(); node != common_.rend(); ++node) {
    const bool is_lowest = covered_[static_cast<std::size_t>(node->node)] != round_;
    if (is_lowest && node->true_steps + node->predicted_steps < best.true_steps + best.predicted_steps) best = *node;
    for (const NodeId parent : table_.taxonomy().parents(node->node))
      covered_[static_cast<std::size_t>(parent)] = round_;
  }
  return best;
}

}  // namespace clade
