#include "comm/owned_tasks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>

#include "comm/local_team.h"
#include "core/random.h"
#include "temporary_folder.h"

namespace clade {
namespace {

std::string result_of(std::size_t task) {
  return std::string(task % 4, 'x') + std::to_string(task);
}

std::vector<double> random_costs(std::size_t count) {
  RandomStream random(3, {kTestStream, 81});
  std::vector<double> cost(count);
  for (double& value : cost) value = std::exp(2 * random.normal());
  return cost;
}

// Runs the tasks in a team, all of which must get all results; gives how often each was done.
std::vector<int> run(int size, const std::vector<double>& cost, const std::string& folder = {}) {
  std::vector<std::atomic<int>> done(cost.size());
  LocalTeam(size).run([&](Team& team) {
    if (!folder.empty()) team.keep_work(std::make_unique<WorkFolder>(folder, true, WorkFolder::Facts{}, team.leads()));
    Context ctx({.threads = 2});
    OwnedTasks tasks(team, {"test", cost, {}});
    EXPECT_TRUE(std::ranges::is_sorted(tasks.open()));
    const std::vector<std::string> results = tasks.run(
        [&](std::size_t task) {
          EXPECT_EQ(tasks.owner(task), team.rank());
          EXPECT_TRUE(std::ranges::binary_search(tasks.open(), task));
          ++done[task];
          return result_of(task);
        },
        ctx);
    ASSERT_EQ(results.size(), cost.size());
    for (std::size_t task = 0; task < results.size(); ++task) ASSERT_EQ(results[task], result_of(task));
  });
  return {done.begin(), done.end()};
}

std::vector<std::filesystem::path> pieces_in(const std::string& folder) {
  std::vector<std::filesystem::path> pieces;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".piece") pieces.push_back(entry.path());
  }
  return pieces;
}

TEST(OwnedTasks, EachIsDoneOnceAndAllGetTheResults) {
  for (const int size : {1, 2, 3, 7}) {
    for (const std::size_t count : {0UL, 1UL, 300UL, 3000UL}) {
      EXPECT_EQ(run(size, random_costs(count)), std::vector<int>(count, 1));
    }
  }
}

TEST(OwnedTasks, TheLeaderAloneGetsTheResults) {
  const std::vector<double> cost = random_costs(500);
  LocalTeam(3).run([&](Team& team) {
    Context ctx({.threads = 2});
    OwnedTasks tasks(team, {"test", cost, {}});
    const std::vector<std::string> results =
        tasks.run([](std::size_t task) { return result_of(task); }, ctx, ResultsFor::kLeader);
    ASSERT_EQ(results.size(), team.leads() ? cost.size() : 0);
    for (std::size_t task = 0; task < results.size(); ++task) ASSERT_EQ(results[task], result_of(task));
  });
}

TEST(OwnedTasks, SmallOnesAreKeptTogether) {
  const TemporaryFolder folder;
  run(3, random_costs(9000), folder.file("work"));
  const std::size_t pieces = pieces_in(folder.file("work")).size();
  EXPECT_GT(pieces, 300U);
  EXPECT_LT(pieces, 2049U);
}

TEST(OwnedTasks, WhatIsKeptIsNotDoneAgain) {
  const TemporaryFolder folder;
  const std::vector<double> cost = random_costs(4000);
  run(3, cost, folder.file("work"));
  EXPECT_EQ(run(2, cost, folder.file("work")), std::vector<int>(cost.size(), 0));
  const std::vector<std::filesystem::path> pieces = pieces_in(folder.file("work"));
  for (std::size_t k = 0; k < pieces.size(); k += 2) std::filesystem::remove(pieces[k]);
  const std::vector<int> done = run(4, cost, folder.file("work"));
  const int again = std::accumulate(done.begin(), done.end(), 0);
  EXPECT_GT(again, 0);
  EXPECT_LT(again, 4000);
  EXPECT_EQ(pieces_in(folder.file("work")).size(), pieces.size());
}

}  // namespace
}  // namespace clade
