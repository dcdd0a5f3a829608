#include "select/learners/forest_importance.h"

#include <algorithm>

namespace clade {
namespace {

// The samples at a node of a tree, counted by column; columns ascending.
struct ColumnCounts {
  double samples = 0;
  std::vector<std::pair<std::int32_t, double>> columns;
};

class GainCounter {
 public:
  GainCounter(const ClosedLabels& labels, const Taxonomy& taxonomy)
      : labels_(labels),
        left_(labels.nodes.size(), 0),
        right_(labels.nodes.size(), 0),
        gain_(labels.nodes.size() + 1, 0) {
    for (const NodeId node : labels.nodes) {
      auto& above = parents_.emplace_back();
      for (const NodeId parent : taxonomy.parents(node)) {
        const auto found = std::ranges::lower_bound(labels.nodes, parent);
        above.push_back(parent == taxonomy.root() ? kRoot : static_cast<std::int32_t>(found - labels.nodes.begin()));
      }
    }
  }

  std::vector<ColumnCounts> leaf_counts(Index leaves, std::span<const std::int32_t> leaf) {
    std::vector<ColumnCounts> counts(static_cast<std::size_t>(leaves));
    std::vector<std::vector<std::int32_t>> columns(counts.size());
    for (std::size_t s = 0; s < leaf.size(); ++s) {
      const auto at = static_cast<std::size_t>(leaf[s]);
      counts[at].samples += 1;
      const auto own = labels_.members.of(static_cast<Index>(s));
      columns[at].insert(columns[at].end(), own.begin(), own.end());
    }
    for (std::size_t k = 0; k < counts.size(); ++k) {
      std::sort(columns[k].begin(), columns[k].end());
      for (const std::int32_t c : columns[k]) {
        auto& own = counts[k].columns;
        if (own.empty() || own.back().first != c) own.emplace_back(c, 0);
        own.back().second += 1;
      }
    }
    return counts;
  }

  // Adds the gains of a split into two parts, and returns their union.
  ColumnCounts join(const ColumnCounts& left, const ColumnCounts& right, FeatureIndex feature,
                    std::vector<SplitGain>& gains) {
    ColumnCounts both = merged(left, right);
    for (const auto& [c, count] : left.columns) left_[static_cast<std::size_t>(c)] = count;
    for (const auto& [c, count] : right.columns) right_[static_cast<std::size_t>(c)] = count;
    touched_.clear();
    for (const auto& [c, count] : both.columns) {
      const double in_left = left_[static_cast<std::size_t>(c)];
      const double in_right = right_[static_cast<std::size_t>(c)];
      for (const std::int32_t parent : parents_[static_cast<std::size_t>(c)]) {
        const double n_left = parent == kRoot ? left.samples : left_[static_cast<std::size_t>(parent)];
        const double n_right = parent == kRoot ? right.samples : right_[static_cast<std::size_t>(parent)];
        if (n_left == 0 || n_right == 0) continue;
        double& gain = gain_[static_cast<std::size_t>(parent + 1)];
        if (gain == 0) touched_.push_back(parent);
        gain += in_left * in_left / n_left + in_right * in_right / n_right - count * count / (n_left + n_right);
      }
    }
    std::sort(touched_.begin(), touched_.end());
    for (const std::int32_t parent : touched_) {
      double& gain = gain_[static_cast<std::size_t>(parent + 1)];
      const NodeId node = parent == kRoot ? 0 : labels_.nodes[static_cast<std::size_t>(parent)];
      if (gain > 0) gains.push_back({node, feature, gain});
      gain = 0;
    }
    for (const auto& [c, count] : both.columns) {
      left_[static_cast<std::size_t>(c)] = 0;
      right_[static_cast<std::size_t>(c)] = 0;
    }
    return both;
  }

 private:
  static constexpr std::int32_t kRoot = -1;

  static ColumnCounts merged(const ColumnCounts& a, const ColumnCounts& b) {
    ColumnCounts both{a.samples + b.samples, {}};
    both.columns.reserve(a.columns.size() + b.columns.size());
    auto x = a.columns.begin();
    auto y = b.columns.begin();
    while (x != a.columns.end() || y != b.columns.end()) {
      if (y == b.columns.end() || (x != a.columns.end() && x->first < y->first)) {
        both.columns.push_back(*x++);
      } else if (x == a.columns.end() || y->first < x->first) {
        both.columns.push_back(*y++);
      } else {
        both.columns.emplace_back(x->first, x->second + y->second);
        ++x;
        ++y;
      }
    }
    return both;
  }

  const ClosedLabels& labels_;
  std::vector<std::vector<std::int32_t>> parents_;  // per column: the columns of its parents
  // Of the current split; 0 between splits.
  std::vector<double> left_;
  std::vector<double> right_;
  std::vector<double> gain_;  // the root's first
  std::vector<std::int32_t> touched_;
};

}  // namespace

std::vector<SplitGain> split_gains(const ClusteringTree& tree, std::span<const std::int32_t> leaf,
                                   const ClosedLabels& labels, const Taxonomy& taxonomy) {
  GainCounter counter(labels, taxonomy);
  std::vector<ColumnCounts> of_leaves = counter.leaf_counts(tree.leaves(), leaf);
  std::vector<ColumnCounts> counts(static_cast<std::size_t>(tree.nodes()));
  std::vector<SplitGain> gains;
  for (std::size_t k = counts.size(); k-- > 0;) {  // children come after their parents
    const auto next = static_cast<std::size_t>(tree.next[k]);
    if (tree.feature[k] < 0) {
      counts[k] = std::move(of_leaves[next]);
      continue;
    }
    counts[k] = counter.join(counts[k + 1], counts[next], tree.feature[k], gains);
    counts[k + 1] = {};
    counts[next] = {};
  }
  return gains;
}

}  // namespace clade
