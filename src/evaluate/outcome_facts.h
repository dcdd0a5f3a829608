#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "evaluate/ancestor_table.h"
#include "evaluate/decisions.h"
#include "evaluate/lca_graph.h"
#include "evaluate/node_counts.h"
#include "evaluate/outcomes.h"
#include "evaluate/ranking_scores.h"

namespace clade {

// The result of comparing true and predicted labels, from which all scores are computed. Whole numbers are stored as
// double, because scores are computed in double.
struct OutcomeFacts {
  const Outcomes* outcomes = nullptr;
  Index outcome = 0;           // for measures that look at the labels themselves
  double true_nodes = 0;       // ancestors included, also the root
  double predicted_nodes = 0;  // likewise
  double common_nodes = 0;     // both
  double uncounted = 0;        // 1 if the root, which is in every set, is not counted
  double distance = 0;         // edges between true and predicted labels; set_distance() where there are several
  double levels = 0;           // depth of the deepest node of either side
  double differing_levels = 0;
  double missed_volume = 0;  // of the true nodes that are not predicted
  double extra_volume = 0;   // of the predicted nodes that are not true
  Decisions decisions;
  LcaScore lca;
  double first_is_right = 0;          // 1 if the first label is a true one
  double first_has_right_parent = 0;  // 1 if it is right, or shares a parent with a true one
  double first_loss = 0;              // largest hierarchical loss against a true label; 0 if it is right
  RankingScore ranking;               // only where Outcomes::ranked

  // The number without the root, unless the root is counted.
  double counted(double nodes) const { return nodes - uncounted; }
};

// Computes the scores of outcomes: the score of outcomes[k] goes to scores[k * stride].
using ScoreFunction = void (*)(std::span<const OutcomeFacts> outcomes, double* scores, std::size_t stride);

// Makes a ScoreFunction of `score`, which gives the score of one outcome. Scores are computed in blocks, so that the
// cost of the call hardly matters and `score` is inlined.
template <double (*score)(const OutcomeFacts&)>
void per_sample(std::span<const OutcomeFacts> outcomes, double* scores, std::size_t stride) {
  for (const OutcomeFacts& outcome : outcomes) {
    *scores = score(outcome);
    scores += stride;
  }
}

// A share of a whole. For an empty whole it is 1 if nothing was `asked` for either, else 0.
inline double share(double part, double whole, double asked) {
  if (whole > 0) return part / whole;
  return asked > 0 ? 0 : 1;
}

inline double harmonic_mean(double a, double b) {
  return a + b > 0 ? 2 * a * b / (a + b) : 0;
}

// A set of levels of a taxonomy, cleared in O(1).
class LevelSet {
 public:
  explicit LevelSet(int levels) : added_in_(static_cast<std::size_t>(levels), 0) {}
  void clear() {
    ++round_;
    levels_.clear();
  }
  void add(int level) {
    std::int64_t& mark = added_in_[static_cast<std::size_t>(level)];
    if (mark == round_) return;
    mark = round_;
    levels_.push_back(level);
  }
  // In the order in which they were added, each once.
  const std::vector<int>& levels() const { return levels_; }

 private:
  std::vector<std::int64_t> added_in_;  // by level: the round of its last addition
  std::int64_t round_ = 1;
  std::vector<int> levels_;
};

// Compares outcomes of any kind, for one thread. All arguments must outlive it.
class OutcomeComparer {
 public:
  OutcomeComparer(const Outcomes& outcomes, const AncestorTable& table, const OutcomeDistances& distances,
                  bool count_root);

  // Also adds to the counts.
  void compare(Index outcome, OutcomeFacts& facts, NodeCounts& counts);

 private:
  void compare_nodes(std::span<const NodeId> truth, std::span<const NodeId> predicted, OutcomeFacts& facts);
  void compare_first(std::span<const NodeId> truth, NodeId first, OutcomeFacts& facts) const;

  const Outcomes& outcomes_;
  const AncestorTable& table_;
  const OutcomeDistances& distances_;
  double uncounted_;
  LcaGraphs lca_;
  DecisionCounter decisions_;
  std::vector<NodeId> true_nodes_;
  std::vector<NodeId> predicted_nodes_;
  LevelSet differing_;
  int deepest_true_ = 0;
};

}  // namespace clade
