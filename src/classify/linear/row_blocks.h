#pragma once

#include <clade/context.h>

#include <functional>
#include <memory>
#include <vector>

#include "classify/linear/linear_objective.h"
#include "classify/linear/training_rows.h"
#include "comm/block_sums.h"
#include "data/node_table.h"

namespace clade {

// The rows of a node in blocks, of which every process of a team has some.
struct RowBlocks {
  struct Block {
    NodeTable table;             // the part of the node's that it has; all children
    std::vector<double> weight;  // a factor of C for every row; empty: 1
    TrainingRows rows;           // over the same columns in all blocks
  };
  BlockSums sums;
  std::vector<Block> own;
  std::vector<FeatureIndex> features;  // of the columns

  // The sum of what add(block, sum) adds to zeros for each block of all processes, which all call it.
  Vector sum(Index numbers, const std::function<void(const Block&, Vector& sum)>& add) const;
};

struct RowBlocksOptions {
  bool has_bias = true;     // not penalised
  double tolerance = 1e-3;  // of the largest entry of the gradient, relative to that at zero weights
  int iterations = 200;
};

struct RowBlocksResult {
  LinearWeights weights;
  bool has_converged = false;
};

// Weights of the rows of all blocks for which half their squared length plus the losses is least, by limited-memory
// BFGS: every process has the weights, and finds the losses of its blocks, which are added up. loss_of() makes the loss
// of a block that this process has. All processes call it, and get the same.
RowBlocksResult minimise_over_blocks(
    const RowBlocks& blocks, Index classes,
    const std::function<std::unique_ptr<RowLoss>(const RowBlocks::Block& block)>& loss_of,
    const RowBlocksOptions& options, Context& ctx);

}  // namespace clade
