#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/taxonomy.h>
#include <clade/types.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "classify/model_body.h"

namespace clade {

// The score of a node is computed from the outputs of the nodes on its path, without the root:
//
//   sum over the path of  level weight(depth of the node) x output of the node,      in a DAG along the best path.
//
// `nodes` has the node of every output, ascending, and `level_weights` the weights of depth 1, 2, ...; taxonomy and
// nodes must outlive this object. It has its own scratch: use one per thread.
class PathSums {
 public:
  PathSums(const Taxonomy& taxonomy, const std::vector<NodeId>& nodes, const std::vector<double>& level_weights)
      : taxonomy_(taxonomy),
        nodes_(nodes),
        sums_(static_cast<std::size_t>(taxonomy.size()), -std::numeric_limits<double>::infinity()) {
    sums_[0] = 0;
    for (const NodeId node : nodes) {
      const auto parents = taxonomy.parents(node);
      only_parents_.push_back(parents.size() == 1 ? parents[0] : kNoNode);
      weights_.push_back(level_weights[static_cast<std::size_t>(taxonomy.depth(node)) - 1]);
      if (taxonomy.is_leaf(node)) leaves_.push_back(node);
    }
  }

  // Scores of all nodes by id; nodes without an output, and nodes only below such nodes, get -infinity.
  template <class T>
  const std::vector<double>& sums(std::span<const T> outputs) {
    for (std::size_t o = 0; o < nodes_.size(); ++o) {  // in id order, so parents come first
      const double above = only_parents_[o] == kNoNode ? best_above(nodes_[o]) : sum_of(only_parents_[o]);
      sums_[static_cast<std::size_t>(nodes_[o])] = above + weights_[o] * static_cast<double>(outputs[o]);
    }
    return sums_;
  }

  // The leaves that have an output.
  const std::vector<NodeId>& leaves() const { return leaves_; }

 private:
  double sum_of(NodeId node) const { return sums_[static_cast<std::size_t>(node)]; }
  double best_above(NodeId node) const {
    double best = -std::numeric_limits<double>::infinity();
    for (const NodeId parent : taxonomy_.parents(node)) best = std::max(best, sum_of(parent));
    return best;
  }

  const Taxonomy& taxonomy_;
  const std::vector<NodeId>& nodes_;
  std::vector<double> weights_;       // per output
  std::vector<NodeId> only_parents_;  // per output; kNoNode: there are several
  std::vector<NodeId> leaves_;
  std::vector<double> sums_;  // nodes without an output keep -infinity
};

// Calls visit(sample, scores) with the sums along the paths of all leaves of a path model, in id order, for the samples
// from begin to end: each sample once, in any order, from several threads.
void for_each_path_scores(const ModelBody& model, const Dataset& data, Index begin, Index end, Context& ctx,
                          const std::function<void(Index, std::span<const double>)>& visit);

}  // namespace clade
