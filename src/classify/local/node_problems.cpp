#include "classify/local/node_problems.h"

namespace clade {

void share_out(const NodeTable& table, const TrainingRows& rows, std::span<const double> weight, SharedOut& result) {
  const bool is_single = std::ssize(table.columns) == table.samples();
  result.rows = is_single ? &rows : &result.own_rows;
  if (!is_single) result.own_rows.features = rows.features;
  for (Index r = 0; r < table.samples(); ++r) {
    const auto children = table.labels(r);
    const double share =
        (weight.empty() ? 1 : weight[static_cast<std::size_t>(r)]) / static_cast<double>(children.size());
    for (const std::int32_t child : children) {
      result.label.push_back(child);
      result.weight.push_back(share);
      if (!is_single) result.own_rows.append(rows, r);
    }
  }
}

SiblingSvm::SiblingSvm(std::vector<NodeId> children, SampleClasses labels, const TrainingRows& rows, double bias)
    : problem_{children, flat_attributes(children), ClassLoss::zero_one(std::ssize(children)), std::move(labels)},
      width_(rows.width()),
      bias_(bias),
      rows_(with_constant(rows, bias)),
      scores_(rows_, problem_.attributes.count) {}

JointSvmResult SiblingSvm::solve(double c, std::span<const double> weight, const JointSvmOptions& options,
                                 Context& ctx) {
  std::vector<double> cost(static_cast<std::size_t>(rows_.rows()), c);
  for (std::size_t r = 0; r < weight.size(); ++r) cost[r] *= weight[r];
  JointVariables variables;
  return solve_joint_svm(problem_, scores_, cost, variables, options, ctx);
}

LinearWeights SiblingSvm::weights() const {
  const auto classes = static_cast<std::size_t>(scores_.weights().attributes());
  LinearWeights weights{.w = std::vector(classes, std::vector<double>(static_cast<std::size_t>(width_), 0)),
                        .bias = std::vector<double>(classes, 0)};
  for (Index f = 0; f < scores_.weights().features(); ++f) {
    scores_.weights().for_each(f, [&](std::int32_t child, double value) {
      const auto at = static_cast<std::size_t>(child);
      if (f < width_) {
        weights.w[at][static_cast<std::size_t>(f)] = value;
      } else {
        weights.bias[at] = bias_ * value;
      }
    });
  }
  return weights;
}

}  // namespace clade
