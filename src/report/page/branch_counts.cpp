#include "report/page/branch_counts.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

namespace clade {
namespace {

// The labels with all their ancestors, ascending.
void close_upwards(const Taxonomy& taxonomy, std::span<const NodeId> labels, std::vector<NodeId>& nodes) {
  nodes.assign(labels.begin(), labels.end());
  for (const NodeId label : labels) {
    const auto above = taxonomy.ancestors(label);
    nodes.insert(nodes.end(), above.begin(), above.end());
  }
  std::ranges::sort(nodes);
  nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
}

bool holds(const std::vector<NodeId>& nodes, NodeId node) {
  return std::ranges::binary_search(nodes, node);
}

bool is_child(const Taxonomy& taxonomy, NodeId parent, NodeId node) {
  return std::ranges::find(taxonomy.parents(node), parent) != taxonomy.parents(node).end();
}

using Counts = std::map<std::tuple<NodeId, NodeId, NodeId>, Index>;

void count_branch(const Taxonomy& taxonomy, NodeId node, NodeId child, const std::vector<NodeId>& truth,
                  const std::vector<NodeId>& predicted, Counts& counts) {
  if (holds(predicted, child)) {
    ++counts[{node, child, child}];
    return;
  }
  bool went_wrong = false;
  for (const NodeId other : predicted) {
    if (other == taxonomy.root() || holds(truth, other) || !is_child(taxonomy, node, other)) continue;
    ++counts[{node, child, other}];
    went_wrong = true;
  }
  if (!went_wrong) ++counts[{node, child, holds(predicted, node) ? BranchCount::kStopped : BranchCount::kElsewhere}];
}

}  // namespace

std::vector<BranchCount> branch_counts(const JudgedSamples& judged, const Taxonomy& taxonomy) {
  Counts counts;
  std::vector<NodeId> truth;
  std::vector<NodeId> predicted;
  for (Index s = 0; s < judged.truth.samples(); ++s) {
    close_upwards(taxonomy, judged.truth.of(s), truth);
    close_upwards(taxonomy, judged.predicted.of(s), predicted);
    for (const NodeId child : truth) {
      for (const NodeId node : taxonomy.parents(child)) count_branch(taxonomy, node, child, truth, predicted, counts);
    }
  }
  std::vector<BranchCount> result;
  result.reserve(counts.size());
  for (const auto& [key, count] : counts) {
    result.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), count});
  }
  return result;
}

}  // namespace clade
