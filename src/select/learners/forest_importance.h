#pragma once

#include <clade/taxonomy.h>

#include <span>
#include <vector>

#include "data/closed_labels.h"
#include "math/clustering_tree.h"

namespace clade {

// By how much a split of a tree reduces the variance of the labels among the children of an inner node of the
// hierarchy, summed over the samples below that node:
//
//   gain = sum over children c of the node of S_c(L)^2 / n(L) + S_c(R)^2 / n(R) - S_c^2 / n
//
// n: samples below the node that reach the split, S_c: those of them below c; L and R: the same on its two sides. It is
// 0 if all of them go to one side.
struct SplitGain {
  NodeId node = 0;
  FeatureIndex feature = 0;
  double gain = 0;
};

// The gains of all splits at all inner nodes. `leaf` is the leaf of every sample. The columns of the labels must have
// every node with samples but the root. O(splits x columns of their samples x parents).
std::vector<SplitGain> split_gains(const ClusteringTree& tree, std::span<const std::int32_t> leaf,
                                   const ClosedLabels& labels, const Taxonomy& taxonomy);

}  // namespace clade
