#pragma once

#include <clade/context.h>
#include <clade/decide.h>
#include <clade/taxonomy.h>

#include <vector>

#include "classify/decide/decision_tally.h"
#include "classify/decide/placed_scores.h"
#include "data/closed_labels.h"

namespace clade {

// Per column: the place down to which its pairs are taken; -1: none. Never larger than that of a column above.
using NodeCuts = std::vector<int>;

// Finds thresholds for scores, and says what they get. The arguments must outlive it.
class ThresholdSearch {
 public:
  // `scores` are samples x columns, as compared with thresholds.
  ThresholdSearch(const Taxonomy& taxonomy, const ClosedLabels& labels, const Matrix& scores, Context& ctx);

  const PlacedScores& placed() const { return placed_; }
  // The cuts with the largest hierarchical F1 on all parts but `excluded`, by one threshold, per level or per node.
  NodeCuts best_cuts(DecideBy by, int excluded) const;
  // A row of choices, from few pairs taken to many, for other measures: one threshold after the other, or those at
  // which all levels, or nodes, give as much for a right pair.
  int steps(DecideBy by) const;
  NodeCuts cuts_at(DecideBy by, int step, int excluded) const;
  // What the samples of each part get by its cuts; with `by_label`, only nodes count that have none below them.
  std::vector<DecisionTally> tally(const std::vector<NodeCuts>& cuts, bool by_label) const;
  // The same of given sets, one per sample: columns, with all above them.
  std::vector<DecisionTally> tally_sets(const PositivePairs& sets, bool by_label) const;

 private:
  // Pairs that get a threshold together, or that a node's threshold is drawn to: all, or those of a level and some that
  // lie as all do.
  std::vector<PlaceCounts> groups(DecideBy by, int excluded) const;
  NodeCuts spread(const std::vector<int>& of_groups) const;
  NodeCuts own_cuts(const std::vector<PlaceCounts>& groups, double slope, int excluded) const;
  PlaceCounts counts_without(Index c, int excluded) const;
  void tally_nodes(Index begin, Index end, const NodeCuts& cuts, std::vector<DecisionTally>& result) const;
  DecisionTally tally_labels(Index sample, const NodeCuts& cuts) const;
  DecisionTally compare_labels(Index sample, const std::vector<char>& is_taken) const;

  const ClosedLabels& labels_;
  const Matrix& scores_;
  Context& ctx_;
  PlacedScores placed_;
  std::vector<std::size_t> level_;                  // of each column, from 0
  std::vector<std::vector<std::size_t>> parents_;   // columns above each column
  std::vector<std::vector<PlaceCounts>> by_level_;  // [level][part]
};

}  // namespace clade
