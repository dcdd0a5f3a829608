#pragma once

#include <span>
#include <vector>

#include "evaluate/ancestor_table.h"

namespace clade {

struct LcaScore {
  double precision = 0;
  double recall = 0;
  double f1 = 0;
};

// P_LCA, R_LCA and F_LCA of a sample (Kosmopoulos, Partalas, Gaussier, Paliouras and Androutsopoulos 2015), for label
// sets over trees and DAGs. Exactly:
//
//   g(a, c)   edges on the shortest path up from a to its ancestor c
//   L(a, b)   those lowest common ancestors of a and b with the smallest g(a, c) + g(b, c)
//   A(y)      union of L(y, z) over the labels z of the other side that are nearest to y by that sum
//   C         a set of connectors that contains, for every true and every predicted label, a node of its A
//   G_t(C)    C, the true labels, and the nodes on the path from each to its nearest connector in A
//             (of two equally near ones, that with the larger id); G_p(C) likewise
//
// C is the set with the smallest |G_t| + |G_p| (then the smaller set, then the one with the larger ids), and
//
//   P = |G_p and G_t| / |G_p|      R = |G_p and G_t| / |G_t|      F = 2PR / (P + R)
//
// Of several shortest paths, the one whose nodes have the smallest ids, from the connector down, is taken. For one
// label against one in a tree, P = 1 / (edges from the predicted label to the common ancestor + 1), and R likewise for
// the true label.
//
// Cost: labels x labels x ancestors to find the connectors. If m connectors are left to choose from, all 2^m sets are
// tried up to m = kExactConnectors; beyond that, the connector that serves most labels is taken first. So choosing is
// bounded by 2^kExactConnectors x labels x path.
class LcaGraphs {
 public:
  static constexpr std::size_t kExactConnectors = 10;

  // `table` must contain all labels that are given later, and outlive this object.
  explicit LcaGraphs(const AncestorTable& table);

  // Neither set may be empty, and no label may be an ancestor of another in its set.
  LcaScore score(std::span<const NodeId> truth, std::span<const NodeId> predicted);

 private:
  struct Connection {
    NodeId connector;
    int steps;
  };
  struct Label {
    NodeId node;
    bool is_true;
    std::vector<Connection> connections;  // to the nodes of A, ascending by connector
  };

  void lowest_common(NodeId a, NodeId b);
  int shortest_join(NodeId a, NodeId b, std::vector<NodeId>& connectors);
  void connect(Label& label, std::span<const NodeId> others);
  LcaScore score_pair(NodeId truth, NodeId predicted);
  bool serves_all(const std::vector<NodeId>& connectors) const;
  void build(const std::vector<NodeId>& connectors);
  void append_path(NodeId label, NodeId connector, std::vector<NodeId>& nodes) const;
  std::vector<NodeId> choose_connectors();
  void add_greedily(std::vector<NodeId>& chosen, std::vector<NodeId> optional) const;

  const AncestorTable& table_;
  std::vector<int> covered_;  // by node: the last call in which a common ancestor was below it
  int call_ = 0;
  std::vector<NodeId> common_;  // common ancestors of the last pair, and the lowest of them
  std::vector<NodeId> lowest_;
  std::vector<NodeId> joins_;
  std::vector<Label> labels_;
  std::vector<NodeId> true_graph_;
  std::vector<NodeId> predicted_graph_;
};

}  // namespace clade
