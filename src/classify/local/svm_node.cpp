#include "classify/local/svm_node.h"

#include <clade/error.h>

#include <algorithm>
#include <numeric>

#include "classify/linear/one_vs_rest.h"
#include "classify/linear/smo.h"
#include "classify/local/node_problems.h"
#include "core/parallel.h"

namespace clade {
namespace {

bool has_label(const NodeTable& table, Index row, std::int32_t child) {
  const auto labels = table.labels(row);
  return std::binary_search(labels.begin(), labels.end(), child);
}

std::vector<std::int32_t> in_table_order(const NodeTable& table) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(table.classes()));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<std::int32_t> in_order_of_appearance(const NodeTable& table) {
  std::vector<std::int32_t> order;
  for (const std::int32_t child : table.columns) {
    if (std::find(order.begin(), order.end(), child) == order.end()) order.push_back(child);
    if (std::ssize(order) == table.classes()) break;
  }
  return order;
}

// Two children that share no sample: both sides of one problem.
bool is_mirrored(const NodeTable& table) {
  return table.classes() == 2 && std::ssize(table.columns) == table.samples();
}

// Of two classes, what the one loses the other one gains.
void add_opposite(LinearWeights& weights) {
  std::vector<double> opposite = weights.w[0];
  for (double& w : opposite) w = -w;
  weights.w.push_back(std::move(opposite));
  weights.bias.push_back(-weights.bias[0]);
}

}  // namespace

NodeSolution SvmNode::solve(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight,
                            std::uint64_t stream, Context& ctx) const {
  switch (options_.multiclass) {
    case Multiclass::kOneVsRest:
      return one_vs_rest(table, rows, weight, stream, ctx);
    case Multiclass::kOneVsOne:
      return one_vs_one(table, rows, weight, ctx);
    case Multiclass::kCrammerSinger:
      break;
  }
  return crammer_singer(table, rows, weight, stream, ctx);
}

NodeSolution SvmNode::one_vs_rest(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight,
                                  std::uint64_t stream, Context& ctx) const {
  NodeSolution solution{.order = in_table_order(table)};
  OneVsRestResult result =
      one_vs_rest_dual(rows, {table.offsets, table.columns}, is_mirrored(table) ? 1 : table.classes(), weight, {},
                       hinge_options(stream), ctx);
  solution.weights = std::move(result.weights);
  solution.has_converged = result.has_converged;
  if (is_mirrored(table)) add_opposite(solution.weights);
  return solution;
}

HingeOptions SvmNode::hinge_options(std::uint64_t stream) const {
  return {.c = options_.c,
          .loss = options_.loss,
          .bias = options_.bias,
          .tolerance = options_.tolerance,
          .iterations = options_.iterations,
          .seed = seed_,
          .stream = stream << 32};
}

Index SvmNode::parts(const NodeTable& table) const {
  // What one process does in less than a second is not worth sharing.
  constexpr Index kManyRows = 8192;
  if (options_.multiclass != Multiclass::kOneVsRest || is_mirrored(table) || table.samples() < kManyRows) return 1;
  return one_vs_rest_groups(table.samples(), table.classes());
}

NodeSolution SvmNode::solve_part(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight,
                                 std::uint64_t stream, Index part, Context& ctx) const {
  if (parts(table) == 1) return NodeSolver::solve_part(table, rows, weight, stream, part, ctx);
  OneVsRestResult result = one_vs_rest_group(rows, {table.offsets, table.columns}, table.classes(), weight,
                                             hinge_options(stream), part, ctx);
  NodeSolution solution{.weights = std::move(result.weights), .has_converged = result.has_converged};
  solution.order.resize(solution.weights.w.size());
  std::iota(solution.order.begin(), solution.order.end(), static_cast<std::int32_t>(result.first));
  return solution;
}

// The same problem in the primal: descent on the dual variables goes from row to row, and cannot be shared.
NodeSolution SvmNode::solve_blocks(const NodeTable& table, RowBlocks blocks, Context& ctx) const {
  // The tolerance of the dual is that of decisions; this one is relative to the gradient at zero weights.
  constexpr double kPerTolerance = 0.01;
  NodeSolution solution{.order = in_table_order(table)};
  blocks.features = with_constant({.features = blocks.features}, options_.bias).features;
  for (RowBlocks::Block& block : blocks.own) block.rows = with_constant(block.rows, options_.bias);
  RowBlocksResult result = minimise_over_blocks(
      blocks, is_mirrored(table) ? 1 : table.classes(),
      [&](const RowBlocks::Block& block) {
        return std::make_unique<SquaredHingeLoss>(RowClasses{block.table.offsets, block.table.columns}, block.weight,
                                                  options_.c);
      },
      {.has_bias = false, .tolerance = kPerTolerance * options_.tolerance, .iterations = options_.iterations}, ctx);
  solution.weights = std::move(result.weights);
  solution.has_converged = result.has_converged;
  if (options_.bias != 0) {
    for (std::size_t m = 0; m < solution.weights.w.size(); ++m) {
      solution.weights.bias[m] = options_.bias * solution.weights.w[m].back();
      solution.weights.w[m].pop_back();
    }
  }
  if (is_mirrored(table)) add_opposite(solution.weights);
  return solution;
}

NodeSolution SvmNode::one_vs_one(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight,
                                 Context& ctx) const {
  NodeSolution solution{.decision = Decision::kVotes, .order = in_order_of_appearance(table)};
  const auto classes = solution.order.size();
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
  for (std::size_t a = 0; a < classes; ++a) {
    for (std::size_t b = a + 1; b < classes; ++b) pairs.emplace_back(solution.order[a], solution.order[b]);
  }
  solution.weights.w.resize(pairs.size());
  solution.weights.bias.resize(pairs.size());
  std::vector<std::vector<Index>> rows_of(static_cast<std::size_t>(table.classes()));  // by child
  for (Index r = 0; r < rows.rows(); ++r) {
    for (const std::int32_t child : table.labels(r)) rows_of[static_cast<std::size_t>(child)].push_back(r);
  }
  constexpr double kPublishedTolerance = 1e-3;
  parallel_for(ctx, std::ssize(pairs), 1, [&](Index p, Index) {
    const auto [first, second] = pairs[static_cast<std::size_t>(p)];
    std::vector<Index> taken;
    std::vector<std::int8_t> sign;
    std::vector<double> own_weight;
    // In the order of the published program: the first class, then the second.
    for (const std::int32_t side : {first, second}) {
      for (const Index r : rows_of[static_cast<std::size_t>(side)]) {
        if (has_label(table, r, side == first ? second : first)) continue;
        taken.push_back(r);
        sign.push_back(side == first ? 1 : -1);
        if (!weight.empty()) own_weight.push_back(weight[static_cast<std::size_t>(r)]);
      }
    }
    SmoResult result = smo(rows, taken, sign, own_weight,
                           {.c = options_.c, .tolerance = std::min(options_.tolerance, kPublishedTolerance)}, ctx);
    solution.weights.w[static_cast<std::size_t>(p)] = std::move(result.w);
    solution.weights.bias[static_cast<std::size_t>(p)] = result.bias;
  });
  return solution;
}

NodeSolution SvmNode::crammer_singer(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight,
                                     std::uint64_t stream, Context& ctx) const {
  SharedOut shared;
  share_out(table, rows, weight, shared);
  SampleClasses labels;
  for (std::size_t r = 1; r <= shared.label.size(); ++r) labels.offsets.push_back(static_cast<Index>(r));
  labels.classes = std::move(shared.label);
  SiblingSvm svm(table.children, std::move(labels), *shared.rows, options_.bias);
  // With many children, more than one thread pays off.
  constexpr Index kManyChildren = 64;
  const JointSchedule schedule = table.classes() < kManyChildren ? JointSchedule::kInTurn : JointSchedule::kFast;
  const JointSvmResult result = svm.solve(options_.c, shared.weight,
                                          {.tolerance = options_.tolerance,
                                           .iterations = options_.iterations,
                                           .seed = seed_ ^ (stream << 32),
                                           .schedule = schedule},
                                          ctx);
  return {.weights = svm.weights(), .order = in_table_order(table), .has_converged = result.has_converged};
}

}  // namespace clade
