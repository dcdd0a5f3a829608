#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/types.h>

#include <span>
#include <vector>

#include "math/clustering_tree.h"
#include "math/dense.h"
#include "math/pooled_ranking.h"

namespace clade {

// Scores of columns as means over trees. Features of the trees are those of the model.
struct Forest {
  PositivePairs sets;  // the columns of each set of labels that the leaves speak of
  std::vector<ClusteringTree> trees;
};

// A sample's leaves of some trees, one after the other, become its scores. One per thread.
class LeafSums {
 public:
  explicit LeafSums(const Forest& forest);

  void add(const ClusteringTree& tree, std::int32_t leaf);
  // The same without one of the leaf's samples, which has this set and mass. False if no other is there.
  bool add_without(const ClusteringTree& tree, std::int32_t leaf, std::int32_t set, double mass);
  // Adds the mean over the leaves since the last call to row `row` of `sums`. A node's sets are also its parents', and
  // are added in the same order, so scores never rise on the way down, to the last bit.
  void finish(Matrix& sums, Index row);

 private:
  void add_share(std::int32_t set, double share);

  const Forest& forest_;
  std::vector<double> share_;  // per set
  std::vector<std::int32_t> touched_;
  std::vector<double> row_;  // per column
  Index leaves_ = 0;
};

// Adds the scores of the samples from begin to end. `features` is that of the model.
void add_forest(const Forest& forest, Index features, const Dataset& data, Index begin, Index end, Matrix& sums,
                Context& ctx);

// A sample as a row of all features.
void copy_row(const Dataset& data, Index sample, std::vector<double>& row);

}  // namespace clade
