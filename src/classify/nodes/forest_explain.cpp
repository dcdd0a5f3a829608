#include "classify/nodes/forest_explain.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "classify/nodes/node_model.h"

namespace clade {
namespace {

// The mass and the mean of one column at every node of a tree.
struct NodeMeans {
  std::vector<double> mass;
  std::vector<double> mean;
};

std::vector<char> sets_with(const Forest& forest, std::int32_t column) {
  std::vector<char> result(static_cast<std::size_t>(forest.sets.samples()));
  for (std::size_t set = 0; set < result.size(); ++set) {
    result[set] = std::ranges::binary_search(forest.sets.of(static_cast<Index>(set)), column) ? 1 : 0;
  }
  return result;
}

// Children come after their parents, so means are complete from the end.
NodeMeans node_means(const ClusteringTree& tree, std::span<const char> has_column) {
  const auto nodes = static_cast<std::size_t>(tree.nodes());
  NodeMeans result{std::vector<double>(nodes), std::vector<double>(nodes, 0)};
  for (std::size_t node = nodes; node-- > 0;) {
    const auto next = static_cast<std::size_t>(tree.next[node]);
    double& mass = result.mass[node];
    double& mean = result.mean[node];
    if (tree.feature[node] < 0) {
      mass = tree.leaf_mass[next];
      for (Index k = tree.leaf_offsets[next]; k < tree.leaf_offsets[next + 1]; ++k) {
        const auto entry = static_cast<std::size_t>(k);
        const bool has = has_column[static_cast<std::size_t>(tree.leaf_set[entry])] != 0;
        if (has) mean += static_cast<double>(tree.leaf_share[entry]);
      }
      continue;
    }
    mass = result.mass[node + 1] + result.mass[next];
    mean = (result.mass[node + 1] * result.mean[node + 1] + result.mass[next] * result.mean[next]) / mass;
  }
  return result;
}

void add_path_reasons(const ModelBody& model, std::span<const double> row, std::int32_t child, std::int32_t rival,
                      Index count, Step& step) {
  const Forest& forest = *model.node_model->forest;
  const std::vector<double> of_child = path_contributions(forest, model.features, child, row);
  const std::vector<double> of_rival = path_contributions(forest, model.features, rival, row);
  for (std::size_t f = 0; f < of_child.size(); ++f) {
    const double contribution = of_child[f] - of_rival[f];
    if (contribution != 0) step.reasons.push_back({static_cast<FeatureIndex>(f), row[f], contribution});
  }
  std::ranges::sort(step.reasons, {}, [](const Step::Reason& r) { return std::pair(-r.contribution, r.feature); });
  if (std::ssize(step.reasons) > count) step.reasons.resize(static_cast<std::size_t>(count));
}

}  // namespace

std::vector<double> path_contributions(const Forest& forest, Index features, std::int32_t column,
                                       std::span<const double> row) {
  std::vector<double> result(static_cast<std::size_t>(features), 0);
  const std::vector<char> has_column = sets_with(forest, column);
  for (const ClusteringTree& tree : forest.trees) {
    const NodeMeans means = node_means(tree, has_column);
    for (std::size_t node = 0; tree.feature[node] >= 0;) {
      const auto feature = static_cast<std::size_t>(tree.feature[node]);
      const std::size_t child = tree.child(node, row[feature]);
      result[feature] += means.mean[child] - means.mean[node];
      node = child;
    }
  }
  for (double& value : result) value /= static_cast<double>(forest.trees.size());
  return result;
}

std::vector<double> signed_importance(const Forest& forest, Index features, std::int32_t column) {
  std::vector<double> rising(static_cast<std::size_t>(features), 0);
  std::vector<double> falling(rising.size(), 0);
  const std::vector<char> has_column = sets_with(forest, column);
  for (const ClusteringTree& tree : forest.trees) {
    const NodeMeans means = node_means(tree, has_column);
    for (std::size_t node = 0; node < means.mass.size(); ++node) {
      if (tree.feature[node] < 0) continue;
      const auto right = static_cast<std::size_t>(tree.next[node]);
      const double difference = means.mean[right] - means.mean[node + 1];
      const double reduction = means.mass[node + 1] * means.mass[right] / means.mass[node] * difference * difference;
      (difference > 0 ? rising : falling)[static_cast<std::size_t>(tree.feature[node])] += reduction / means.mass[0];
    }
  }
  const auto trees = static_cast<double>(forest.trees.size());
  for (std::size_t f = 0; f < rising.size(); ++f) {
    const double sum = (rising[f] + falling[f]) / trees;
    rising[f] = rising[f] >= falling[f] ? sum : -sum;
  }
  return rising;
}

std::vector<Step> explain_forest(const ModelBody& model, const Dataset& data, Index sample, NodeId label,
                                 Index reasons) {
  const NodeModel& nodes = *model.node_model;
  const Taxonomy& taxonomy = *model.taxonomy;
  std::vector<double> row(static_cast<std::size_t>(model.features));
  copy_row(data, sample, row);
  Matrix sums = Matrix::Zero(1, nodes.columns());
  LeafSums leaves(*nodes.forest);
  for (const ClusteringTree& tree : nodes.forest->trees) leaves.add(tree, tree.leaf_of(row));
  leaves.finish(sums, 0);
  const auto score = [&](NodeId node) {
    const std::int32_t column = static_cast<std::int32_t>(nodes.column_of(node));
    return column < 0 ? -1 : sums(0, column);
  };
  const auto best_of = [&](std::span<const NodeId> candidates, NodeId without) {
    NodeId best = kNoNode;
    for (const NodeId node : candidates) {
      if (node != without && score(node) >= 0 && (best == kNoNode || score(node) > score(best))) best = node;
    }
    return best;
  };
  std::vector<Step> steps;
  for (NodeId child = label; child != taxonomy.root();) {
    const NodeId above = best_of(taxonomy.parents(child), kNoNode);
    const NodeId parent = above == kNoNode ? taxonomy.root() : above;
    const NodeId rival = best_of(taxonomy.children(parent), child);
    Step& step = steps.emplace_back(Step{.node = parent, .child = child, .rival = rival});
    const double whole = above == kNoNode ? 1 : nodes.map(score(above));
    step.probability = score(child) < 0 ? 0 : std::min(1.0, nodes.map(score(child)) / whole);
    if (rival != kNoNode && score(child) >= 0) {
      step.margin = score(child) - score(rival);
      add_path_reasons(model, row, static_cast<std::int32_t>(nodes.column_of(child)),
                       static_cast<std::int32_t>(nodes.column_of(rival)), reasons, step);
    }
    child = parent;
  }
  std::ranges::reverse(steps);
  return steps;
}

std::vector<TellingFeatures> telling_of_forest(const ModelBody& model, NodeId node, Index top) {
  const std::int32_t column = static_cast<std::int32_t>(model.node_model->column_of(model.taxonomy->fold(node)));
  if (column < 0) {
    throw usage_error(fmt::format("the model has no training sample of '{}'", model.taxonomy->name(node)),
                      "expected a class with training samples");
  }
  const std::vector<double> importance = signed_importance(*model.node_model->forest, model.features, column);
  std::vector<FeatureIndex> order(importance.size());
  std::iota(order.begin(), order.end(), FeatureIndex{0});
  std::ranges::sort(order, {},
                    [&](FeatureIndex f) { return std::pair(-std::abs(importance[static_cast<std::size_t>(f)]), f); });
  TellingFeatures result;
  result.node = model.taxonomy->root();
  for (const FeatureIndex f : order) {
    const double weight = importance[static_cast<std::size_t>(f)];
    auto& side = weight > 0 ? result.in_favour : result.against;
    if (weight != 0 && std::ssize(side) < top) side.push_back({f, weight});
  }
  return {result};
}

}  // namespace clade
