#include "induce/feature_tree/tidy_groups.h"

#include <algorithm>

namespace clade {
namespace {

class Tidying {
 public:
  explicit Tidying(std::vector<FeatureGroup> groups) : groups_(std::move(groups)), is_gone_(groups_.size(), 0) {}

  std::vector<FeatureGroup> run(Index smallest, int depth) {
    merge_small(smallest);
    replace_single_parents();
    if (depth > 0) merge_deep(depth);
    return rest();
  }

 private:
  FeatureGroup& group(std::size_t g) { return groups_[g]; }
  std::size_t parent(std::size_t g) const { return static_cast<std::size_t>(groups_[g].parent); }

  // The group's features become the parent's own.
  void merge_up(std::size_t g) {
    std::vector<FeatureIndex>& above = groups_[parent(g)].features;
    std::vector<FeatureIndex>& own = groups_[g].features;
    if (above.size() < own.size()) std::swap(above, own);
    above.insert(above.end(), own.begin(), own.end());
    own.clear();
    is_gone_[g] = 1;
  }

  // From the bottom up, so that a group already owns what was merged into it.
  void merge_small(Index smallest) {
    std::vector<Index> sizes(groups_.size(), 0);
    for (std::size_t g = groups_.size(); g-- > 1;) {
      sizes[g] += std::ssize(groups_[g].features);
      if (sizes[g] < smallest) {
        merge_up(g);
      } else {
        sizes[parent(g)] += sizes[g];
      }
    }
  }

  void replace_single_parents() {
    std::vector<Index> children(groups_.size(), 0);
    std::vector<std::size_t> child(groups_.size(), 0);  // the last one seen, which is the only one if there is just one
    for (std::size_t g = groups_.size(); g-- > 1;) {
      if (is_gone_[g] != 0) continue;
      if (children[g] == 1 && groups_[g].features.empty()) {
        is_gone_[g] = 1;
        groups_[child[g]].parent = groups_[g].parent;
        child[parent(g)] = child[g];
      } else {
        child[parent(g)] = g;
      }
      ++children[parent(g)];
    }
    if (children[0] != 1 || !groups_[0].features.empty()) return;
    const std::size_t only = child[0];
    for (std::size_t g = 1; g < groups_.size(); ++g) {
      if (is_gone_[g] == 0 && parent(g) == only) groups_[g].parent = 0;
    }
    merge_up(only);
  }

  void merge_deep(int depth) {
    std::vector<int> depths(groups_.size(), 0);
    for (std::size_t g = 1; g < groups_.size(); ++g) {
      if (is_gone_[g] == 0) depths[g] = depths[parent(g)] + 1;
    }
    for (std::size_t g = groups_.size(); g-- > 1;) {
      if (is_gone_[g] == 0 && depths[g] > depth) merge_up(g);
    }
  }

  std::vector<FeatureGroup> rest() {
    std::vector<FeatureGroup> result;
    std::vector<NodeId> number(groups_.size(), kNoNode);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (is_gone_[g] != 0) continue;
      number[g] = static_cast<NodeId>(result.size());
      result.push_back(std::move(groups_[g]));
      if (g > 0) result.back().parent = number[static_cast<std::size_t>(result.back().parent)];
    }
    return result;
  }

  std::vector<FeatureGroup> groups_;
  std::vector<char> is_gone_;
};

}  // namespace

std::vector<FeatureGroup> tidy_groups(std::vector<FeatureGroup> groups, Index smallest, int depth) {
  return Tidying(std::move(groups)).run(smallest, depth);
}

}  // namespace clade
