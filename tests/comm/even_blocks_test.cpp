#include "comm/even_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "comm/local_team.h"

namespace clade {
namespace {

TEST(EvenBlocks, CoverAllRowsInOrder) {
  for (const int processes : {1, 2, 3, 7}) {
    for (const Index rows : {0, 1, 5, 8, 63, 1000, 5000}) {
      LocalTeam(processes).run([&](Team& team) {
        const EvenBlocks blocks(team, rows, 8);
        Index next = 0;
        for (int block = 0; block < blocks.sums().blocks(); ++block) {
          const auto [begin, end] = blocks.rows_of(block);
          EXPECT_EQ(begin, next);
          EXPECT_GE(end - begin, std::min<Index>(rows, 8));
          next = end;
          const auto [first, last] = blocks.rows_of_process(blocks.process_of(block));
          EXPECT_TRUE(first <= begin && end <= last);
          for (Index row = begin; row < end; ++row) EXPECT_EQ(blocks.block_of(row), block);
        }
        EXPECT_EQ(next, rows);
        EXPECT_EQ(blocks.rows_of_process(0).first, 0);
        EXPECT_EQ(blocks.rows_of_process(processes - 1).second, rows);
      });
    }
  }
}

TEST(EvenBlocks, AllGetTheNumbersOfAllBlocks) {
  LocalTeam(3).run([&](Team& team) {
    const EvenBlocks blocks(team, 64, 4);
    const Matrix found = blocks.gathered(2, [&](int block, double* column) {
      column[0] = 0.1 * block;
      column[1] = -block;
    });
    ASSERT_EQ(found.cols(), 16);
    for (int block = 0; block < 16; ++block) {
      EXPECT_EQ(found(0, block), 0.1 * block);
      EXPECT_EQ(found(1, block), -block);
    }
  });
}

}  // namespace
}  // namespace clade
