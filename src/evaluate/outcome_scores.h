#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "evaluate/ancestor_table.h"
#include "evaluate/lca_graph.h"
#include "evaluate/node_distance.h"
#include "evaluate/outcomes.h"

namespace clade {

// What is summed over samples; every measure but the macro averages is made from such sums.
enum ScoreColumn : std::size_t {
  kExactColumn,
  kTrueNodesColumn,
  kPredictedNodesColumn,
  kCommonNodesColumn,
  kSamplePrecisionColumn,
  kSampleRecallColumn,
  kSampleF1Column,
  kTieColumn,
  kPLcaColumn,
  kRLcaColumn,
  kFLcaColumn,
  kLevelsColumn,
  kFirstRightColumn,
  kTopLossColumn,
  kParentColumn,
  kSymmetricColumn,
  kAveragePrecisionColumn,
  kRankingLossColumn,
  kMaximalLossColumn,
  kScoreColumns,
};
using Scores = std::array<double, kScoreColumns>;

// Distances between the true and the predicted labels of every outcome.
class OutcomeDistances {
 public:
  OutcomeDistances(const Outcomes& outcomes, const Dataset& data, Context& ctx);

  // Row by row: the distances of the first true label to all predicted ones, then those of the second, ...
  std::span<const int> of(Index outcome) const {
    const auto o = static_cast<std::size_t>(outcome);
    return {distances_.data() + offsets_[o], static_cast<std::size_t>(offsets_[o + 1] - offsets_[o])};
  }

 private:
  std::vector<Index> offsets_;
  std::vector<int> distances_;
};

// One thread's means to score outcomes. Everything given must outlive it.
class OutcomeScorer {
 public:
  OutcomeScorer(const Outcomes& outcomes, const Dataset& data, const Predictions& predictions,
                const AncestorTable& table, const OutcomeDistances& distances, bool count_root);

  Scores score(Index outcome);

  // Of the outcome scored last: true and predicted nodes with their ancestors, root included, ascending; and the
  // depths on which they differ, ascending.
  const std::vector<NodeId>& true_nodes() const { return true_nodes_; }
  const std::vector<NodeId>& predicted_nodes() const { return predicted_nodes_; }
  const std::vector<int>& differing_levels() const { return differing_levels_; }

 private:
  void compare_nodes(std::span<const NodeId> truth, std::span<const NodeId> predicted, Scores& scores);
  void score_first(std::span<const NodeId> truth, NodeId first, Scores& scores);

  const Outcomes& outcomes_;
  const Dataset& data_;
  const Predictions& predictions_;
  const AncestorTable& table_;
  const OutcomeDistances& distances_;
  double uncounted_;  // 1: the root, which every set holds, is not counted
  LcaGraphs lca_;
  std::vector<NodeId> true_nodes_;
  std::vector<NodeId> predicted_nodes_;
  std::vector<int> differing_levels_;
};

}  // namespace clade
