#include "data/tree_data.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace clade {

std::vector<double> column_weights(const Taxonomy& taxonomy, std::span<const NodeId> nodes, double depth_weight) {
  std::vector<double> depth(static_cast<std::size_t>(taxonomy.size()), 0);
  for (NodeId node = 1; node < taxonomy.size(); ++node) {
    double sum = 0;
    for (const NodeId parent : taxonomy.parents(node)) sum += depth[static_cast<std::size_t>(parent)];
    depth[static_cast<std::size_t>(node)] = 1 + sum / static_cast<double>(taxonomy.parents(node).size());
  }
  std::vector<double> weight;
  for (const NodeId node : nodes) weight.push_back(std::pow(depth_weight, depth[static_cast<std::size_t>(node)]));
  return weight;
}

LabelSetsOfSamples distinct_sets(const PositivePairs& members) {
  LabelSetsOfSamples result;
  std::map<std::vector<std::int32_t>, std::int32_t> known;
  for (Index s = 0; s < members.samples(); ++s) {
    const auto own = members.of(s);
    const auto [found, is_new] =
        known.emplace(std::vector(own.begin(), own.end()), static_cast<std::int32_t>(known.size()));
    result.set.push_back(found->second);
    if (!is_new) continue;
    result.sets.columns.insert(result.sets.columns.end(), own.begin(), own.end());
    result.sets.offsets.push_back(std::ssize(result.sets.columns));
  }
  return result;
}

TreeLabels merged_labels(const LabelSetsOfSamples& labels, const std::vector<double>& weight) {
  std::vector<std::vector<std::int32_t>> sets_of(weight.size());
  for (Index set = 0; set < labels.sets.samples(); ++set) {
    for (const std::int32_t c : labels.sets.of(set)) {
      sets_of[static_cast<std::size_t>(c)].push_back(static_cast<std::int32_t>(set));
    }
  }
  std::map<std::vector<std::int32_t>, std::int32_t> known;
  std::vector<std::int32_t> merged(weight.size());
  TreeLabels result;
  result.set = labels.set;
  for (std::size_t c = 0; c < weight.size(); ++c) {
    const auto [found, is_new] = known.emplace(sets_of[c], static_cast<std::int32_t>(result.weight.size()));
    if (is_new) result.weight.push_back(0);
    merged[c] = found->second;
    result.weight[static_cast<std::size_t>(found->second)] += weight[c];
  }
  std::vector<std::int32_t> own;
  for (Index set = 0; set < labels.sets.samples(); ++set) {
    own.clear();
    for (const std::int32_t c : labels.sets.of(set)) own.push_back(merged[static_cast<std::size_t>(c)]);
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    result.sets.columns.insert(result.sets.columns.end(), own.begin(), own.end());
    result.sets.offsets.push_back(std::ssize(result.sets.columns));
  }
  return result;
}

TreeFeatures tree_features(const Dataset& data, std::span<const FeatureIndex> chosen) {
  std::vector<FeatureIndex> to(static_cast<std::size_t>(data.features()), chosen.empty() ? 0 : -1);
  if (chosen.empty()) std::iota(to.begin(), to.end(), FeatureIndex{0});
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    to[static_cast<std::size_t>(chosen[k])] = static_cast<FeatureIndex>(k);
  }
  TreeFeatures result{.samples = data.samples(),
                      .features = chosen.empty() ? data.features() : std::ssize(chosen),
                      .dense = {},
                      .offsets = {},
                      .columns = {},
                      .values = {}};
  const bool is_dense = !is_sparse(data.matrix());
  if (is_dense) {
    result.dense.resize(static_cast<std::size_t>(result.samples * result.features));
  } else {
    result.offsets.push_back(0);
  }
  for (Index s = 0; s < data.samples(); ++s) {
    data.for_each_value(s, [&](FeatureIndex f, auto value) {
      const FeatureIndex column = to[static_cast<std::size_t>(f)];
      if (column < 0) return;
      if (is_dense) {
        result.dense[static_cast<std::size_t>(s * result.features + column)] = static_cast<double>(value);
      } else if (value != 0) {
        result.columns.push_back(column);
        result.values.push_back(static_cast<double>(value));
      }
    });
    if (!is_dense) result.offsets.push_back(std::ssize(result.columns));
  }
  return result;
}

}  // namespace clade
