#pragma once

#include <clade/dataset.h>

#include <span>
#include <vector>

#include "data/closed_labels.h"
#include "math/clustering_tree.h"

namespace clade {

// A data set as predictive clustering trees see it.

// The weight of every column: depth_weight^depth, where the depth of a node with several parents is 1 more than theirs
// on average.
std::vector<double> column_weights(const Taxonomy& taxonomy, std::span<const NodeId> nodes, double depth_weight);

// The different sets of columns, and which of them each sample has.
struct LabelSetsOfSamples {
  PositivePairs sets;
  std::vector<std::int32_t> set;
};
LabelSetsOfSamples distinct_sets(const PositivePairs& members);

// Columns that stand in the same sets always have the same sums: one takes the weight of all.
TreeLabels merged_labels(const LabelSetsOfSamples& labels, const std::vector<double>& weight);

// The chosen features (ascending; empty: all), numbered from 0.
TreeFeatures tree_features(const Dataset& data, std::span<const FeatureIndex> chosen);

}  // namespace clade
