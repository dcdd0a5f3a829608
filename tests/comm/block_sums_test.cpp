#include "comm/block_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "comm/local_team.h"
#include "core/random.h"

namespace clade {
namespace {

constexpr Index kNumbers = 5;

// Of very different sizes, so that the order of additions shows.
Vector numbers_of(int block) {
  RandomStream random(static_cast<std::uint64_t>(block) + 1, {kTestStream, 81});
  Vector numbers(kNumbers);
  for (Index k = 0; k < kNumbers; ++k) numbers(k) = random.normal() * std::exp(10 * random.normal());
  return numbers;
}

// What every process got.
std::vector<Vector> sums(int processes, int blocks) {
  std::vector<Vector> found(static_cast<std::size_t>(processes));
  LocalTeam(processes).run([&](Team& team) {
    const BlockSums all(team, blocks);
    const auto [first, end] = all.own();
    found[static_cast<std::size_t>(team.rank())] =
        all.sum(kNumbers, [&, first = first, end = end](int block, Vector& sum) {
          EXPECT_TRUE(first <= block && block < end);
          sum += numbers_of(block);
        });
  });
  return found;
}

TEST(BlockSums, HaveTheSameBitsForAnyNumberOfProcesses) {
  for (const int blocks : {1, 2, 16, 64}) {
    const Vector alone = sums(1, blocks)[0];
    for (const int processes : {2, 3, 4, 5, 7, 16, 21}) {
      for (const Vector& found : sums(processes, blocks)) EXPECT_EQ(found, alone) << blocks << " " << processes;
    }
  }
}

TEST(BlockSums, AreSums) {
  for (const int blocks : {1, 8, 128}) {
    Vector expected = Vector::Zero(kNumbers);
    Vector sizes = Vector::Zero(kNumbers);
    for (int block = 0; block < blocks; ++block) {
      expected += numbers_of(block);
      sizes += numbers_of(block).cwiseAbs();
    }
    const Vector difference = (sums(3, blocks)[0] - expected).cwiseAbs();
    for (Index k = 0; k < kNumbers; ++k) EXPECT_LE(difference(k), 1e-13 * sizes(k)) << blocks;
  }
}

TEST(BlockSums, EveryBlockHasOneProcess) {
  for (const int processes : {1, 3, 7, 40}) {
    LocalTeam(processes).run([&](Team& own) {
      if (!own.leads()) return;
      const BlockSums all(own, 32);
      int next = 0;
      for (int process = 0; process < processes; ++process) {
        EXPECT_EQ(all.of(process).first, next);
        next = all.of(process).second;
      }
      EXPECT_EQ(next, 32);
    });
  }
}

}  // namespace
}  // namespace clade
