#pragma once

#include <clade/evaluate.h>

#include <span>
#include <vector>

#include "evaluate/ancestor_table.h"

namespace clade {

// How often each node and each level was true, predicted, or both; a node also counts for its ancestors.
struct NodeCounts {
  NodeCounts() = default;  // no taxonomy yet: takes that of the first counts added
  explicit NodeCounts(const Taxonomy& taxonomy);

  // Label sets with all their ancestors; both lists ascend.
  void add_nodes(std::span<const NodeId> truth, std::span<const NodeId> predicted, Index weight);
  // `deepest` is the depth of the deepest true node; lower levels do not count.
  void add_levels(int deepest, std::span<const int> wrong, Index weight);
  void add(NodeCounts&& other);
  // Adds the counts of the labels to their ancestors.
  void settle(const AncestorTable& table);

  std::vector<NodeScore> nodes;
  std::vector<Index> level_samples;  // by depth
  std::vector<Index> level_wrong;

  // Samples with one true and one predicted label, counted only at the labels themselves; settle() does the rest.
  // `correct` is counted there only if both labels are the same.
  std::vector<NodeScore> labels;
};

std::vector<LevelScore> level_scores(const Taxonomy& taxonomy, const NodeCounts& counts);

}  // namespace clade
