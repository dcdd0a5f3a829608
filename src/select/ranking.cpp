#include "select/ranking.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace clade {

NodeRanking rank_features(const NodeTable& table, std::span<const double> weights) {
  return rank_features(table, weights, std::vector<double>(weights.size(), 0));
}

NodeRanking rank_features(const NodeTable& table, std::span<const double> weights, std::span<const double> second) {
  NodeRanking result;
  result.node = table.node;
  result.samples = table.samples();
  result.children = table.classes();
  result.ranking.resize(weights.size());
  std::iota(result.ranking.begin(), result.ranking.end(), 0);
  const auto value = [](std::span<const double> values, FeatureIndex f) {
    const double v = values[static_cast<std::size_t>(f)];
    return std::isnan(v) ? -std::numeric_limits<double>::infinity() : v;
  };
  std::sort(result.ranking.begin(), result.ranking.end(), [&](FeatureIndex a, FeatureIndex b) {
    if (value(weights, a) != value(weights, b)) return value(weights, a) > value(weights, b);
    return value(second, a) != value(second, b) ? value(second, a) > value(second, b) : a < b;
  });
  for (const FeatureIndex f : result.ranking) result.weight.push_back(weights[static_cast<std::size_t>(f)]);
  return result;
}

}  // namespace clade
