#pragma once

#include <clade/context.h>

#include <span>
#include <vector>

#include "classify/linear/row_blocks.h"
#include "classify/linear/training_rows.h"
#include "classify/model_body.h"
#include "data/node_table.h"

namespace clade {

// Linear functions for one node, and how they decide.
struct NodeSolution {
  LinearWeights weights;
  Decision decision = Decision::kScores;
  std::vector<std::int32_t> order;  // the children of the table in the order of the outputs
  bool has_converged = true;
};

// How a local classifier learns one node: from the samples below it (`rows`, in the order of the table) and their
// children. `weight` has a factor of C for every row; `stream` names the random numbers to use.
class NodeSolver {
 public:
  virtual ~NodeSolver() = default;
  virtual NodeSolution solve(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight,
                             std::uint64_t stream, Context& ctx) const = 0;
  // In how many parts a node of many samples can be solved, by several processes, and one of these parts: the outputs
  // of some of the children, which follow those of the part before. Together they are what solve() gives.
  virtual Index parts(const NodeTable& /*table*/) const { return 1; }
  virtual NodeSolution solve_part(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight,
                                  std::uint64_t stream, Index part, Context& ctx) const;
  // The same where processes have blocks of the rows: all call it, and get the same. Only solvers that take blocks are
  // asked.
  virtual bool takes_blocks() const { return false; }
  virtual NodeSolution solve_blocks(const NodeTable& table, RowBlocks blocks, Context& ctx) const;
  // Does it look at one row at a time? Rows that do not fit into memory may then be made when they are needed.
  virtual bool takes_made_rows() const { return false; }
};

}  // namespace clade
