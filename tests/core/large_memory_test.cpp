#include "core/large_memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "core/mapped_memory.h"

namespace clade {
namespace {

constexpr std::size_t kMega = std::size_t{1} << 20U;

class LargeMemory : public ::testing::Test {
 protected:
  void TearDown() override { set_memory_limit(std::numeric_limits<double>::infinity()); }
};

TEST_F(LargeMemory, IsWhatTheProcessMayUse) {
  const double all = available_memory();
  EXPECT_GT(all, 64.0 * kMega);
  set_memory_limit(10.0 * kMega);
  EXPECT_EQ(available_memory(), 10.0 * kMega);
  EXPECT_FALSE(is_beyond_limit(6 * kMega));
  EXPECT_TRUE(is_beyond_limit(7 * kMega));
  count_large_block(4 * kMega);
  EXPECT_TRUE(is_beyond_limit(3 * kMega));
  EXPECT_TRUE(fits_below_limit(6 * kMega));
  EXPECT_FALSE(fits_below_limit(7 * kMega));
  count_large_block(-4 * static_cast<std::ptrdiff_t>(kMega));
  EXPECT_FALSE(is_beyond_limit(6 * kMega));
}

TEST_F(LargeMemory, BlocksInFilesAreMemoryLikeAnyOther) {
  const std::size_t before = filed_memory().bytes;
  std::vector<char*> blocks;
  for (int k = 0; k < 3; ++k) {
    auto* block = static_cast<char*>(take_filed_block(5 * kMega));
    ASSERT_NE(block, nullptr);
    std::memset(block, 'a' + k, 5 * kMega);
    blocks.push_back(block);
  }
  EXPECT_EQ(filed_memory().bytes, before + 15 * kMega);
  EXPECT_FALSE(filed_memory().folder.empty());
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(blocks[static_cast<std::size_t>(k)][5 * kMega - 1], 'a' + k);
    EXPECT_TRUE(give_back_filed_block(blocks[static_cast<std::size_t>(k)]));
  }
  EXPECT_FALSE(give_back_filed_block(blocks[0]));
  EXPECT_FALSE(give_back_filed_block(&blocks));
}

// An array that grows from memory into a file, and shrinks at the end.
TEST_F(LargeMemory, AGrowingArrayKeepsItsElements) {
  for (const double limit : {std::numeric_limits<double>::infinity(), 16.0 * kMega}) {
    set_memory_limit(limit);
    const std::size_t before = filed_memory().bytes;
    GrowingArray<Index> array;
    for (Index size = 1; size < 5'000'000; size = 3 * size + 7) {
      const Index filled = array.size();
      array.resize(size);
      std::iota(array.data() + filled, array.data() + size, filled);
    }
    array.resize(array.size() + 1);
    EXPECT_EQ(array.data()[array.size() - 1], 0);
    array.data()[array.size() - 1] = array.size() - 1;
    const Buffer<Index> all = std::move(array).finish();
    Index wrong = 0;
    for (Index k = 0; k < all.size(); ++k) wrong += all[k] == k ? 0 : 1;
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(filed_memory().bytes > before, limit == 16.0 * kMega);
  }
  EXPECT_FALSE(is_beyond_limit(6 * kMega));
}

TEST_F(LargeMemory, AnEmptyArrayIsEmpty) {
  GrowingArray<double> array;
  array.resize(0);
  EXPECT_EQ(std::move(array).finish().size(), 0);
}

}  // namespace
}  // namespace clade
