#include "select/ranking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/random.h"

namespace clade {
namespace {

// By comparisons, as the header defines the order.
std::vector<FeatureIndex> ranked(const std::vector<double>& weights, const std::vector<double>& second) {
  const auto value = [](const std::vector<double>& values, FeatureIndex f) {
    const double v = values[static_cast<std::size_t>(f)];
    return std::isnan(v) ? -std::numeric_limits<double>::infinity() : v;
  };
  std::vector<FeatureIndex> order(weights.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](FeatureIndex a, FeatureIndex b) {
    if (value(weights, a) != value(weights, b)) return value(weights, a) > value(weights, b);
    return value(second, a) != value(second, b) ? value(second, a) > value(second, b) : a < b;
  });
  return order;
}

std::vector<double> random_weights(std::size_t count, std::uint64_t seed) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> special = {0.0,  -0.0,   kInfinity, -kInfinity, std::nan(""), -std::nan(""), 1.0,
                                       -1.0, 5e-324, -5e-324,   1e308,      -1e308,       2.0,           1 + 0x1p-52};
  RandomStream random(seed, {kTestStream, 61});
  std::vector<double> weights(count);
  for (double& weight : weights) {
    const double draw = random.uniform();
    weight = draw < 0.5 ? random.normal() : special[static_cast<std::size_t>(draw * 1e6) % special.size()];
  }
  return weights;
}

TEST(Ranking, OrderIsThatOfComparisons) {
  const NodeTable table;
  for (const std::size_t count : {0, 1, 2, 50, 3000}) {
    const std::vector<double> weights = random_weights(count, 1);
    const std::vector<double> second = random_weights(count, 2);
    const NodeRanking one = rank_features(table, weights);
    EXPECT_EQ(one.ranking, ranked(weights, std::vector<double>(count, 0)));
    for (std::size_t k = 0; k < count; ++k) {
      const double weight = weights[static_cast<std::size_t>(one.ranking[k])];
      EXPECT_TRUE(one.weight[k] == weight || (std::isnan(one.weight[k]) && std::isnan(weight)));
    }
    EXPECT_EQ(rank_features(table, weights, second).ranking, ranked(weights, second));
  }
}

}  // namespace
}  // namespace clade
