#pragma once

#include <clade/evaluate.h>

#include <span>
#include <vector>

#include "evaluate/outcome_scores.h"

namespace clade {

// How often each node, and each level, was true, predicted, and both: ancestors count with their descendants.
struct NodeCounts {
  explicit NodeCounts(const Taxonomy& taxonomy);

  // Adds an outcome that the scorer has just scored.
  void add(const Taxonomy& taxonomy, const OutcomeScorer& scored, Index weight);
  void add(const NodeCounts& other);
  // The nodes' part alone; both lists ascend.
  void add_nodes(std::span<const NodeId> truth, std::span<const NodeId> predicted, Index weight);

  std::vector<NodeScore> nodes;
  std::vector<Index> level_samples;  // by depth
  std::vector<Index> level_right;
};

std::vector<LevelScore> level_scores(const Taxonomy& taxonomy, const NodeCounts& counts);

// The wrong labels of all outcomes, each beside the nearest true label of its sample (the one with the smaller id of
// two that are equally near), joined by pair. In no particular order.
std::vector<Confusion> find_confusions(const Outcomes& outcomes, const Dataset& data,
                                       const OutcomeDistances& distances);

// The `most` confusions that come first by count, or by count x distance; ties by the other, then by ids.
std::vector<Confusion> most_frequent(std::vector<Confusion> confusions, Index most);
std::vector<Confusion> most_costly(std::vector<Confusion> confusions, Index most);

}  // namespace clade
