#include "classify/local/node_solver.h"

#include "core/check.h"

namespace clade {

NodeSolution NodeSolver::solve_part(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight,
                                    std::uint64_t stream, Index part, Context& ctx) const {
  CLADE_CHECK(part == 0 && parts(table) == 1);
  return solve(table, rows, weight, stream, ctx);
}

NodeSolution NodeSolver::solve_blocks(const NodeTable& /*table*/, RowBlocks /*blocks*/, Context& /*ctx*/) const {
  CLADE_CHECK(takes_blocks());
  return {};
}

}  // namespace clade
