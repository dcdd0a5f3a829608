#pragma once

#include <clade/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"
#include "math/pooled_ranking.h"

namespace clade {

// Predictive clustering trees (Blockeel, De Raedt and Ramon 1998; for hierarchies Vens et al. 2008): a split of a
// node's samples into L and R has the largest reduction of the weighted variance of all label columns v,
//
//   sum_v weight[v] (S_L[v]^2 / n_L + S_R[v]^2 / n_R),   S: sums of the column's zeros and ones, n: sums of masses
//
// so that samples with like labels come together. Missing values (NaN) go to the side where they make this larger; the
// tree keeps that side.

// Samples as trees see them. Dense: values sample by sample. Sparse: compressed rows, and what is left out is 0.
struct TreeFeatures {
  Index samples = 0;
  Index features = 0;
  std::vector<double> dense;  // samples x features; empty: sparse
  std::vector<Index> offsets;
  std::vector<FeatureIndex> columns;
  std::vector<double> values;
};

// Every sample has one of some sets of columns.
struct TreeLabels {
  PositivePairs sets;             // per set: its columns
  std::vector<std::int32_t> set;  // per sample
  std::vector<double> weight;     // per column
};

struct TreeOptions {
  bool has_random_thresholds = true;  // one per feature, uniform over its range; false: the best of all
  double feature_share = 1;           // of the features tried at a split, at least one that varies
  Index min_leaf = 5;                 // samples
};

// Nodes in preorder: the left child follows its parent. A leaf is the mean of its samples' label vectors, kept as the
// shares of sets.
struct ClusteringTree {
  std::vector<FeatureIndex> feature;       // -1: a leaf
  std::vector<double> threshold;           // values up to it go left
  std::vector<std::int32_t> next;          // the right child; of a leaf: its number
  std::vector<std::uint8_t> missing_left;  // 1: missing values go left
  std::vector<Index> leaf_offsets{0};      // leaves + 1: where their shares begin
  std::vector<std::int32_t> leaf_set;
  std::vector<float> leaf_share;
  std::vector<double> leaf_mass;  // of the samples of each leaf

  Index nodes() const { return std::ssize(feature); }
  Index leaves() const { return std::ssize(leaf_mass); }
  std::size_t child(std::size_t node, double value) const {
    const bool goes_left = value != value ? missing_left[node] != 0 : value <= threshold[node];
    return goes_left ? node + 1 : static_cast<std::size_t>(next[node]);
  }
  // `row` has the values of all features.
  std::int32_t leaf_of(std::span<const double> row) const {
    std::size_t node = 0;
    while (feature[node] >= 0) node = child(node, row[static_cast<std::size_t>(feature[node])]);
    return next[node];
  }
};

// Grows a tree from the given samples, each with the mass that `mass` (by sample of the data) gives it. Samples of mass
// 0 only count toward the size of leaves: nothing depends on their labels. At least one must have a mass. With random
// thresholds and dense data, a split costs O(features tried x samples x labels per sample), whatever the number
// of columns; sparse data cost only the values stored. Best thresholds need sorting besides.
ClusteringTree grow_tree(const TreeFeatures& features, const TreeLabels& labels, std::span<const std::int32_t> samples,
                         std::span<const double> mass, const TreeOptions& options, RandomStream& random);

// Makes the leaves those of other samples than the tree was grown from: `leaf` and `mass` are per sample, and a sample
// of mass 0 does not count. Every leaf must get one that does.
void refill_leaves(ClusteringTree& tree, const TreeLabels& labels, std::span<const std::int32_t> leaf,
                   std::span<const double> mass);

}  // namespace clade
