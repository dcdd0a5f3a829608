#pragma once

#include <clade/taxonomy.h>
#include <clade/types.h>

#include <functional>
#include <vector>

namespace clade {

// At an inner node that is among the true and the predicted ones, with ancestors, a decision falls which of its
// children come next, if any. It is right if the true and the predicted nodes have the same children of it.
struct Decisions {
  double made = 0;
  double right = 0;
};

class DecisionCounter {
 public:
  explicit DecisionCounter(const Taxonomy& taxonomy)
      : taxonomy_(taxonomy), state_(static_cast<std::size_t>(taxonomy.size())) {}

  // Sets of nodes with all their ancestors; `node` takes the node from an element.
  template <class Nodes, class Projection>
  Decisions count(const Nodes& truth, const Nodes& predicted, Projection node) {
    ++round_;
    Decisions result;
    for (const auto& element : truth) at(std::invoke(node, element)).is_true = round_;
    for (const auto& element : predicted) {
      const NodeId own = std::invoke(node, element);
      if (at(own).is_true != round_) continue;
      at(own).is_common = round_;
      result.made += taxonomy_.is_leaf(own) ? 0 : 1;
    }
    result.right = result.made;
    const auto blame_parents = [&](const Nodes& nodes) {
      for (const auto& element : nodes) {
        const NodeId own = std::invoke(node, element);
        if (at(own).is_common == round_) continue;
        for (const NodeId parent : taxonomy_.parents(own)) {
          if (at(parent).is_common != round_ || at(parent).is_wrong == round_) continue;
          at(parent).is_wrong = round_;
          --result.right;
        }
      }
    };
    blame_parents(truth);
    blame_parents(predicted);
    return result;
  }

 private:
  // The last round in which each was so.
  struct State {
    Index is_true = 0;
    Index is_common = 0;
    Index is_wrong = 0;
  };
  State& at(NodeId node) { return state_[static_cast<std::size_t>(node)]; }

  const Taxonomy& taxonomy_;
  std::vector<State> state_;
  Index round_ = 0;
};

}  // namespace clade
