#pragma once

#include <cstdint>
#include <vector>

#include "evaluate/outcome_facts.h"

namespace clade {

// A faster OutcomeComparer for outcomes that are pairs, where all nodes have the same volume: one walk over the
// ancestors of both labels finds everything. In a tree the facts depend only on how far the two paths from the root
// agree.
class PairComparer {
 public:
  static constexpr int kMostLevels = 64;  // of the taxonomy: a set of levels must fit into a word

  PairComparer(const Outcomes& outcomes, const AncestorTable& table, const OutcomeDistances& distances,
               bool count_root);

  // Also adds to the counts.
  void compare(Index outcome, OutcomeFacts& facts, NodeCounts& counts);

 private:
  struct CommonNode {
    NodeId node;
    int true_steps;
    int predicted_steps;
  };

  void compare_ways(std::span<const Ancestor> truth, std::span<const Ancestor> predicted);
  void prefetch(Index outcome) const;
  void enter(std::span<const Ancestor> truth);
  void compare_ancestors(std::span<const Ancestor> truth, std::span<const Ancestor> predicted);
  bool has_common_parent() const;
  const CommonNode& connector();

  const Outcomes& outcomes_;
  const AncestorTable& table_;
  const OutcomeDistances& distances_;
  double uncounted_;
  DecisionCounter decisions_;
  std::vector<CommonNode> common_;  // ascending; in a tree only the lowest
  double common_count_ = 0;
  std::uint64_t differing_ = 0;           // levels, as bits
  std::span<const Ancestor> truth_;       // of the current pairs, which are sorted by their true label
  std::vector<std::uint32_t> place_;      // by node: its place in truth_, from 1; 0: not there
  std::vector<std::uint32_t> is_common_;  // by place; all 0 between pairs, but for place 0
  std::vector<Index> covered_;            // by node: the last round in which a common ancestor was below it
  Index round_ = 0;
};

}  // namespace clade
