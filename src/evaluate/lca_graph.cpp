#include "evaluate/lca_graph.h"

#include <algorithm>
#include <limits>

namespace clade {
namespace {

int steps_to(std::span<const Ancestor> ancestors, NodeId node) {
  return std::lower_bound(ancestors.begin(), ancestors.end(), node,
                          [](const Ancestor& a, NodeId id) { return a.node < id; })
      ->steps;
}

void sort_unique(std::vector<NodeId>& nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

LcaScore score_of(double common, double true_nodes, double predicted_nodes) {
  LcaScore score{.precision = common / predicted_nodes, .recall = common / true_nodes};
  score.f1 = 2 * score.precision * score.recall / (score.precision + score.recall);
  return score;
}

}  // namespace

LcaGraphs::LcaGraphs(const AncestorTable& table)
    : table_(table), covered_(static_cast<std::size_t>(table.taxonomy().size()), 0) {}

void LcaGraphs::lowest_common(NodeId a, NodeId b) {
  const auto above_a = table_.of(a);
  const auto above_b = table_.of(b);
  common_.clear();
  for (std::size_t i = 0, j = 0; i < above_a.size() && j < above_b.size();) {
    const NodeId x = above_a[i].node;
    const NodeId y = above_b[j].node;
    if (x == y) common_.push_back(x);
    i += x <= y ? 1 : 0;
    j += y <= x ? 1 : 0;
  }
  lowest_.clear();
  if (table_.taxonomy().is_tree()) {
    lowest_.push_back(common_.back());
    return;
  }
  // Everything above a common ancestor is common, so a common ancestor is lowest unless it is the parent of another.
  ++call_;
  for (auto node = common_.rbegin(); node != common_.rend(); ++node) {
    if (covered_[static_cast<std::size_t>(*node)] != call_) lowest_.push_back(*node);
    for (const NodeId parent : table_.taxonomy().parents(*node)) covered_[static_cast<std::size_t>(parent)] = call_;
  }
}

int LcaGraphs::shortest_join(NodeId a, NodeId b, std::vector<NodeId>& connectors) {
  lowest_common(a, b);
  int shortest = std::numeric_limits<int>::max();
  for (const NodeId c : lowest_) {
    const int length = steps_to(table_.of(a), c) + steps_to(table_.of(b), c);
    if (length < shortest) connectors.clear();
    shortest = std::min(shortest, length);
    if (length == shortest) connectors.push_back(c);
  }
  return shortest;
}

void LcaGraphs::connect(Label& label, std::span<const NodeId> others) {
  std::vector<NodeId> nearest;
  int shortest = std::numeric_limits<int>::max();
  for (const NodeId other : others) {
    joins_.clear();
    const int length = shortest_join(label.node, other, joins_);
    if (length > shortest) continue;
    if (length < shortest) nearest.clear();
    shortest = length;
    nearest.insert(nearest.end(), joins_.begin(), joins_.end());
  }
  sort_unique(nearest);
  for (const NodeId c : nearest) label.connections.push_back({c, steps_to(table_.of(label.node), c)});
}

LcaScore LcaGraphs::score_pair(NodeId truth, NodeId predicted) {
  joins_.clear();
  shortest_join(truth, predicted, joins_);
  const NodeId connector = *std::max_element(joins_.begin(), joins_.end());
  return score_of(1, steps_to(table_.of(truth), connector) + 1, steps_to(table_.of(predicted), connector) + 1);
}

LcaScore LcaGraphs::score(std::span<const NodeId> truth, std::span<const NodeId> predicted) {
  if (std::equal(truth.begin(), truth.end(), predicted.begin(), predicted.end())) return {1, 1, 1};
  if (truth.size() == 1 && predicted.size() == 1) return score_pair(truth[0], predicted[0]);

  labels_.clear();
  for (const NodeId node : truth) labels_.push_back({node, true, {}});
  for (const NodeId node : predicted) labels_.push_back({node, false, {}});
  for (Label& label : labels_) connect(label, label.is_true ? predicted : truth);

  build(choose_connectors());
  std::vector<NodeId> common;
  std::set_intersection(true_graph_.begin(), true_graph_.end(), predicted_graph_.begin(), predicted_graph_.end(),
                        std::back_inserter(common));
  return score_of(static_cast<double>(common.size()), static_cast<double>(true_graph_.size()),
                  static_cast<double>(predicted_graph_.size()));
}

bool LcaGraphs::serves_all(const std::vector<NodeId>& connectors) const {
  return std::all_of(labels_.begin(), labels_.end(), [&](const Label& label) {
    return std::any_of(label.connections.begin(), label.connections.end(), [&](const Connection& connection) {
      return std::binary_search(connectors.begin(), connectors.end(), connection.connector);
    });
  });
}

void LcaGraphs::append_path(NodeId label, NodeId connector, std::vector<NodeId>& nodes) const {
  const auto above = table_.of(label);
  NodeId at = connector;
  for (int steps = steps_to(above, connector); steps > 0; --steps) {
    nodes.push_back(at);
    for (const Ancestor& next : above) {
      if (next.steps != steps - 1) continue;
      const auto parents = table_.taxonomy().parents(next.node);
      if (std::find(parents.begin(), parents.end(), at) == parents.end()) continue;
      at = next.node;
      break;
    }
  }
  nodes.push_back(label);
}

void LcaGraphs::build(const std::vector<NodeId>& connectors) {
  true_graph_ = connectors;
  predicted_graph_ = connectors;
  for (const Label& label : labels_) {
    const Connection* nearest = nullptr;
    for (const Connection& connection : label.connections) {
      if (!std::binary_search(connectors.begin(), connectors.end(), connection.connector)) continue;
      if (nearest == nullptr || connection.steps <= nearest->steps) nearest = &connection;
    }
    append_path(label.node, nearest->connector, label.is_true ? true_graph_ : predicted_graph_);
  }
  sort_unique(true_graph_);
  sort_unique(predicted_graph_);
}

std::vector<NodeId> LcaGraphs::choose_connectors() {
  std::vector<NodeId> forced;
  std::vector<NodeId> optional;
  for (const Label& label : labels_) {
    auto& list = label.connections.size() == 1 ? forced : optional;
    for (const Connection& connection : label.connections) list.push_back(connection.connector);
  }
  sort_unique(forced);
  sort_unique(optional);
  std::erase_if(optional, [&](NodeId c) { return std::binary_search(forced.begin(), forced.end(), c); });
  if (optional.size() > kExactConnectors) {
    add_greedily(forced, std::move(optional));
    return forced;
  }
  std::vector<NodeId> best;
  std::size_t best_size = std::numeric_limits<std::size_t>::max();
  for (std::size_t choice = 0; choice < std::size_t{1} << optional.size(); ++choice) {
    std::vector<NodeId> connectors = forced;
    for (std::size_t k = 0; k < optional.size(); ++k) {
      if ((choice >> k & 1U) != 0) connectors.push_back(optional[k]);
    }
    std::sort(connectors.begin(), connectors.end());
    if (!serves_all(connectors)) continue;
    build(connectors);
    const std::size_t size = true_graph_.size() + predicted_graph_.size();
    const bool is_better = size != best_size                  ? size < best_size
                           : connectors.size() != best.size() ? connectors.size() < best.size()
                                                              : connectors > best;
    if (!is_better) continue;
    best_size = size;
    best = std::move(connectors);
  }
  return best;
}

void LcaGraphs::add_greedily(std::vector<NodeId>& chosen, std::vector<NodeId> optional) const {
  const auto is_served = [&](const Label& label) {
    return std::any_of(label.connections.begin(), label.connections.end(), [&](const Connection& connection) {
      return std::binary_search(chosen.begin(), chosen.end(), connection.connector);
    });
  };
  while (!serves_all(chosen)) {
    NodeId best = kNoNode;
    Index most = 0;
    for (const NodeId candidate : optional) {
      const Index served = std::count_if(labels_.begin(), labels_.end(), [&](const Label& label) {
        return !is_served(label) &&
               std::any_of(label.connections.begin(), label.connections.end(),
                           [&](const Connection& connection) { return connection.connector == candidate; });
      });
      if (served >= most) best = candidate;
      most = std::max(most, served);
    }
    chosen.insert(std::upper_bound(chosen.begin(), chosen.end(), best), best);
    std::erase(optional, best);
  }
}

}  // namespace clade
