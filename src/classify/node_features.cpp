#include "classify/node_features.h"

#include <algorithm>

namespace clade {
namespace {

void add_lists(const TrainingInput& input, NodeId node, std::vector<std::vector<FeatureIndex>>& lists) {
  for (const NodeId parent : input.data.taxonomy().parents(node)) {
    const auto table = std::ranges::lower_bound(input.tables, parent, {}, &NodeTable::node);
    const auto& own = input.features[static_cast<std::size_t>(table - input.tables.begin())];
    if (table->classes() > 1 && !own.empty()) {
      lists.push_back(own);
    } else {
      add_lists(input, parent, lists);
    }
  }
}

}  // namespace

std::vector<FeatureIndex> features_of_node(const TrainingInput& input, NodeId node) {
  std::vector<std::vector<FeatureIndex>> lists;
  add_lists(input, node, lists);
  return features_of_all(lists.empty() ? input.features : lists);
}

std::vector<FeatureIndex> features_of_path(const TrainingInput& input, NodeId node) {
  std::vector<std::vector<FeatureIndex>> lists;
  add_lists(input, node, lists);
  for (const NodeId above : input.data.taxonomy().ancestors(node)) add_lists(input, above, lists);
  return features_of_all(lists.empty() ? input.features : lists);
}

std::vector<FeatureIndex> features_of_all(const std::vector<std::vector<FeatureIndex>>& lists) {
  std::vector<FeatureIndex> all;
  for (const std::vector<FeatureIndex>& own : lists) all.insert(all.end(), own.begin(), own.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace clade
