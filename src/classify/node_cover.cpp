#include "classify/node_cover.h"

#include <algorithm>
#include <optional>

namespace clade {
namespace {

class Cover {
 public:
  Cover(const AnswerSpace& space, std::span<const NodeId> labels, Index most)
      : space_(space), most_(most), is_label_(space.volume.size(), 0), is_needed_(space.volume.size(), 0) {
    for (const NodeId label : labels) is_label_[at(label)] = is_needed_[at(label)] = 1;
    // Ids are topological, so what is below a node is settled when its turn comes.
    for (auto node = static_cast<NodeId>(is_needed_.size()) - 1; node > 0; --node) {
      if (is_needed_[at(node)] == 0) continue;
      for (const NodeId parent : space.taxonomy.parents(node)) is_needed_[at(parent)] = 1;
    }
  }

  std::vector<NodeId> find() {
    while (const auto step = best_step()) take(*step);
    return nodes_;
  }

 private:
  static std::size_t at(NodeId node) { return static_cast<std::size_t>(node); }

  struct Step {
    std::size_t place;             // of the node that is replaced
    std::vector<NodeId> children;  // by these
    double worth;                  // nodes left out for each child more than one
  };

  bool is_covered_without(std::size_t place, NodeId node) const {
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      if (k != place && covers(space_.taxonomy, {&nodes_[k], 1}, node)) return true;
    }
    return false;
  }

  std::optional<Step> best_step() const {
    std::optional<Step> best;
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      if (is_label_[at(nodes_[k])] != 0) continue;
      Step step{k, {}, 0};
      auto left_out = static_cast<double>(space_.volume[at(nodes_[k])]);
      for (const NodeId child : space_.taxonomy.children(nodes_[k])) {
        if (at(child) >= is_needed_.size() || is_needed_[at(child)] == 0 || is_covered_without(k, child)) continue;
        step.children.push_back(child);
        left_out -= static_cast<double>(space_.volume[at(child)]);
      }
      const auto more = std::ssize(step.children) - 1;
      if (std::ssize(nodes_) + more > most_) continue;
      if (more <= 0) return step;
      step.worth = left_out / static_cast<double>(more);
      if (!best || step.worth > best->worth) best = std::move(step);
    }
    return best;
  }

  void take(const Step& step) {
    nodes_.erase(nodes_.begin() + static_cast<std::ptrdiff_t>(step.place));
    for (const NodeId child : step.children) {
      std::erase_if(nodes_, [&](NodeId node) { return space_.taxonomy.is_ancestor(child, node); });
      if (!covers(space_.taxonomy, nodes_, child)) nodes_.push_back(child);
    }
  }

  const AnswerSpace& space_;
  Index most_;
  std::vector<char> is_label_;
  std::vector<char> is_needed_;  // a label is there or below
  std::vector<NodeId> nodes_{0};
};

}  // namespace

std::vector<NodeId> node_cover(const AnswerSpace& space, std::span<const NodeId> labels, Index most) {
  return Cover(space, labels, most).find();
}

}  // namespace clade
