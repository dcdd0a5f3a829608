#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <span>
#include <vector>

#include "classify/linear/row_blocks.h"
#include "classify/linear/row_maker.h"
#include "comm/block_sums.h"
#include "data/node_table.h"
#include "data/row_exchange.h"

namespace clade {

// The rows of a node, to be cut into blocks for the processes of a team, where each of them has other rows. Blocks
// depend on the data alone: they have several times as many values as there are columns, if the data have so many,
// since the sums of a block take as much time as there are columns.
class BlockedRows {
 public:
  // `features`: those to use; empty: all that occur in the rows. All processes call it with the same.
  BlockedRows(const Dataset& data, const NodeTable& table, std::span<const FeatureIndex> features, Team& team);

  // Names the samples that the processes need.
  void want(WantedRows& wanted) const;
  // `data` has the rows that were wanted; `weight` has a factor of C for every row of the node (empty: 1).
  RowBlocks blocks(const Dataset& data, const std::vector<double>& weight, RowOptions options, Context& ctx) const;

 private:
  std::pair<Index, Index> rows_of(int block) const;

  const NodeTable& table_;
  std::vector<FeatureIndex> features_;
  BlockSums sums_;
};

}  // namespace clade
