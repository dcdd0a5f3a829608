#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "evaluate/ancestor_table.h"
#include "evaluate/lca_graph.h"
#include "evaluate/level_set.h"
#include "evaluate/node_counts.h"
#include "evaluate/outcome_distances.h"
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

// The columns that follow from the numbers of true, predicted and common nodes, ancestors and root included.
// `uncounted`: 1 if the root does not count in precision and recall, else 0.
void score_nodes(double all_true, double all_predicted, double common, double uncounted, Scores& scores);

// One thread's means to score outcomes of any kind. Everything given must outlive it.
class OutcomeScorer {
 public:
  OutcomeScorer(const Outcomes& outcomes, const AncestorTable& table, const OutcomeDistances& distances,
                bool count_root);

  // Adds to the counts as well.
  Scores score(Index outcome, NodeCounts& counts);

 private:
  void compare_nodes(std::span<const NodeId> truth, std::span<const NodeId> predicted, Scores& scores);
  void score_first(std::span<const NodeId> truth, NodeId first, Scores& scores) const;

  const Outcomes& outcomes_;
  const AncestorTable& table_;
  const OutcomeDistances& distances_;
  double uncounted_;  // 1: the root, which every set holds, is not counted
  LcaGraphs lca_;
  std::vector<NodeId> true_nodes_;
  std::vector<NodeId> predicted_nodes_;
  LevelSet differing_;
  int deepest_true_ = 0;
};

}  // namespace clade
