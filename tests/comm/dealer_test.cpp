#include "comm/dealer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/random.h"

namespace clade {
namespace {

std::vector<double> random_costs(std::size_t count, std::uint64_t seed) {
  RandomStream random(seed, {kTestStream, 80});
  std::vector<double> cost(count);
  for (double& value : cost) value = std::exp(2 * random.normal());
  return cost;
}

TEST(Dealer, PiecesHaveEveryTaskOnceAndTheCostliestFirst) {
  for (const std::size_t count : {0UL, 1UL, 5UL, 40'000UL}) {
    const std::vector<double> cost = random_costs(count, 1);
    const auto pieces = pieces_of(cost);
    EXPECT_LE(pieces.size(), 2 * 1024 + 1U);
    std::vector<Index> all;
    double last = std::numeric_limits<double>::infinity();
    for (const auto& piece : pieces) {
      EXPECT_TRUE(std::ranges::is_sorted(piece));
      double largest = 0;
      for (const Index task : piece) largest = std::max(largest, cost[static_cast<std::size_t>(task)]);
      EXPECT_LE(largest, last);
      last = largest;
      all.insert(all.end(), piece.begin(), piece.end());
    }
    std::ranges::sort(all);
    std::vector<Index> expected(count);
    std::iota(expected.begin(), expected.end(), Index{0});
    EXPECT_EQ(all, expected);
  }
}

// The least possible longest load, by trying every way to deal the tasks out.
double best_load(const std::vector<double>& cost, int processes) {
  std::vector<std::size_t> of(cost.size(), 0);
  double best = std::numeric_limits<double>::infinity();
  for (;;) {
    std::vector<double> load(static_cast<std::size_t>(processes), 0);
    for (std::size_t k = 0; k < cost.size(); ++k) load[of[k]] += cost[k];
    best = std::min(best, std::ranges::max(load));
    std::size_t place = 0;
    while (place < of.size() && ++of[place] == static_cast<std::size_t>(processes)) of[place++] = 0;
    if (place == of.size()) return best;
  }
}

// Dealing the costliest first is within 4/3 of the best way (Graham 1969).
TEST(Dealer, LoadIsNearTheBest) {
  for (const int processes : {1, 2, 3, 4}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const std::vector<double> cost = random_costs(seed % 8 + 1, seed);
      const double best = best_load(cost, processes);
      const double found = longest_load(cost, {}, processes, 1);
      EXPECT_GE(found, best * (1 - 1e-12)) << processes << " " << seed;
      EXPECT_LE(found, best * 4 / 3 * (1 + 1e-12)) << processes << " " << seed;
    }
  }
}

// Many small tasks spread evenly; one large one is a bound.
TEST(Dealer, LoadsHaveTheirBounds) {
  const std::vector<double> equal(10'000, 1.0);
  for (const int processes : {1, 2, 7, 16}) {
    EXPECT_NEAR(longest_load(equal, {}, processes, 1), 10'000.0 / processes, 2 * 10'000.0 / 1024);
  }
  EXPECT_EQ(longest_load({5, 1, 1}, {}, 8, 1), 5);
  EXPECT_EQ(longest_load({}, {}, 3, 1), 0);
  std::vector<double> cost = random_costs(5000, 3);
  double before = std::numeric_limits<double>::infinity();
  for (const int processes : {1, 2, 4, 8, 16, 32}) {
    const double found = longest_load(cost, {}, processes, 1);
    EXPECT_LE(found, before * (1 + 1e-12));
    EXPECT_GE(found, std::max(std::ranges::max(cost), std::accumulate(cost.begin(), cost.end(), 0.0) / processes) *
                         (1 - 1e-12));
    before = found;
  }
}

// Tasks of one thread side by side take a process of four threads no longer than four processes.
TEST(Dealer, ThreadsOfAProcessShareItsTasks) {
  const std::vector<double> cost(4, 1.0);
  const std::vector<int> single(4, 1);
  EXPECT_EQ(longest_load(cost, single, 1, 4), 1);
  EXPECT_EQ(longest_load(cost, single, 4, 4), 1);
  EXPECT_EQ(longest_load(cost, single, 4, 1), 1);
  EXPECT_EQ(longest_load(cost, single, 2, 1), 2);
  EXPECT_EQ(longest_load(cost, {}, 1, 4), 1);
  EXPECT_EQ(longest_load(cost, {}, 4, 4), 0.25);
  EXPECT_EQ(longest_load({3, 1, 1, 1}, single, 1, 4), 3);
  EXPECT_EQ(longest_load({3, 1, 1}, {2, 1, 1}, 1, 4), 1.5);
}

TEST(Dealer, EveryThreadGetsSomethingWhereThereIsEnoughForAll) {
  const std::vector<double> cost(12, 1.0);
  const auto pieces = pieces_of(cost);
  const auto dealt = [&](const std::vector<int>& threads, int of_process) {
    Dealer dealer(pieces, cost, threads, std::vector<char>(pieces.size(), 0), 2);
    return std::ssize(dealer.deal(of_process));
  };
  EXPECT_EQ(dealt(std::vector<int>(12, 1), 4), 4);
  EXPECT_EQ(dealt(std::vector<int>(12, 1), 16), 6);  // as many for the other process
  EXPECT_EQ(dealt(std::vector<int>(12, 2), 4), 2);
  EXPECT_EQ(dealt(std::vector<int>(12, 8), 4), 1);
  EXPECT_EQ(dealt({}, 4), 1);
}

}  // namespace
}  // namespace clade
