#include "classify/nodes/path_labels.h"

#include <algorithm>

namespace clade {

PathLabels::PathLabels(const Taxonomy& taxonomy, std::vector<NodeId> labels, std::span<const NodeId> columns)
    : labels_(std::move(labels)) {
  const auto add = [&](NodeId node) {
    const auto found = std::ranges::lower_bound(columns, node);
    if (found != columns.end() && *found == node) path_.push_back(static_cast<std::int32_t>(found - columns.begin()));
  };
  for (const NodeId label : labels_) {
    add(label);
    for (const NodeId above : taxonomy.ancestors(label)) add(above);
    std::sort(path_.begin() + static_cast<std::ptrdiff_t>(offsets_.back()), path_.end());
    offsets_.push_back(path_.size());
  }
}

void PathLabels::judge(std::span<const double> scores, double threshold, std::span<double> quality) const {
  for (std::size_t y = 0; y < labels_.size(); ++y) {
    double sum = 0;
    for (const std::int32_t column : path(y)) sum += scores[static_cast<std::size_t>(column)] - threshold;
    quality[y] = sum;
  }
}

}  // namespace clade
