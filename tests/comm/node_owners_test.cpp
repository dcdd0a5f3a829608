#include "comm/node_owners.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random.h"

namespace clade {
namespace {

std::vector<double> loads(const NodeOwners& owners, const std::vector<double>& cost, int processes) {
  std::vector<double> load(static_cast<std::size_t>(processes), 0);
  for (std::size_t i = 0; i < cost.size(); ++i) load[static_cast<std::size_t>(owners.owner(i))] += cost[i];
  return load;
}

// By trying everything.
double least_possible(const std::vector<double>& cost, std::vector<double>& load, std::size_t i) {
  if (i == cost.size()) return std::ranges::max(load);
  double best = std::numeric_limits<double>::infinity();
  for (double& own : load) {
    own += cost[i];
    best = std::min(best, least_possible(cost, load, i + 1));
    own -= cost[i];
  }
  return best;
}

TEST(NodeOwners, AreAlmostAsEvenAsPossible) {
  RandomStream random(1, {kTestStream, 82});
  for (int k = 0; k < 60; ++k) {
    std::vector<double> cost(1 + static_cast<std::size_t>(random.below(8)));
    for (double& own : cost) own = std::exp(random.normal());
    std::vector<double> load(3, 0);
    const double best = least_possible(cost, load, 0);
    EXPECT_LT(std::ranges::max(loads(NodeOwners(0, 3, cost), cost, 3)), 1.12 * best) << k;
  }
}

// A choice by size alone gives two processes two of each, which is 15.4.
TEST(NodeOwners, ChangePlacesToRelieveTheBusiest) {
  std::vector<double> cost(42, 4.86);
  cost.resize(50, 2.86);
  EXPECT_NEAR(std::ranges::max(loads(NodeOwners(0, 16, cost), cost, 16)), 3 * 4.86, 1e-9);
}

TEST(NodeOwners, EveryProcessDealsAlike) {
  std::vector<double> cost(100, 0);
  RandomStream random(2, {kTestStream, 83});
  for (double& own : cost) own = random.below(3) == 0 ? 0 : random.uniform();
  const NodeOwners first(0, 7, cost);
  const NodeOwners last(6, 7, cost);
  for (std::size_t i = 0; i < cost.size(); ++i) {
    EXPECT_EQ(first.owner(i), last.owner(i));
    EXPECT_EQ(first.is_own(i), first.owner(i) == 0);
  }
}

TEST(NodeOwners, NothingToDo) {
  EXPECT_EQ(NodeOwners(0, 4, std::vector<double>(3, 0)).owner(0), 0);
  const NodeOwners none(0, 4, {});
  EXPECT_FALSE(none.is_shared());
}

}  // namespace
}  // namespace clade
