#include "select/ranking.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace clade {

NodeRanking rank_features(const NodeTable& table, std::span<const double> weights) {
  NodeRanking result;
  result.node = table.node;
  result.samples = table.samples();
  result.children = table.classes();
  result.ranking.resize(weights.size());
  std::iota(result.ranking.begin(), result.ranking.end(), 0);
  const auto weight = [&](FeatureIndex f) {
    const double w = weights[static_cast<std::size_t>(f)];
    return std::isnan(w) ? -std::numeric_limits<double>::infinity() : w;
  };
  std::sort(result.ranking.begin(), result.ranking.end(),
            [&](FeatureIndex a, FeatureIndex b) { return weight(a) != weight(b) ? weight(a) > weight(b) : a < b; });
  for (const FeatureIndex f : result.ranking) result.weight.push_back(weights[static_cast<std::size_t>(f)]);
  return result;
}

}  // namespace clade
