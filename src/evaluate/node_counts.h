#pragma once

#include <clade/evaluate.h>

#include <span>
#include <vector>

#include "evaluate/ancestor_table.h"

namespace clade {

// How often each node, and each level, was true, predicted, and both: ancestors count with their descendants.
struct NodeCounts {
  NodeCounts() = default;  // of no taxonomy yet: takes the first that is added
  explicit NodeCounts(const Taxonomy& taxonomy);

  // Label sets with all their ancestors; both lists ascend.
  void add_nodes(std::span<const NodeId> truth, std::span<const NodeId> predicted, Index weight);
  // `deepest` is the depth of the true nodes; levels below it do not count.
  void add_levels(int deepest, std::span<const int> wrong, Index weight);
  void add(NodeCounts&& other);
  // Adds what is counted by label to the ancestors.
  void settle(const AncestorTable& table);

  std::vector<NodeScore> nodes;
  std::vector<Index> level_samples;  // by depth
  std::vector<Index> level_wrong;

  // Samples with one true and one predicted label, counted at the labels alone; settle() does the rest. `correct` is
  // counted there only where both labels are one.
  std::vector<NodeScore> labels;
};

std::vector<LevelScore> level_scores(const Taxonomy& taxonomy, const NodeCounts& counts);

}  // namespace clade
