#include "experiment/process_memory.h"

#include <gtest/gtest.h>

#include <vector>

namespace clade {
namespace {

constexpr std::size_t kBytes = std::size_t{64} << 20U;

// Sanitizers keep what is given back.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsTold = false;
#else
constexpr bool kIsTold = true;
#endif

// Takes memory, uses all of it, and gives it back.
void use(std::size_t bytes) {
  std::vector<char> block(bytes);
  for (std::size_t k = 0; k < bytes; k += 1024) block[k] = static_cast<char>(k);
  EXPECT_EQ(block[bytes / 2], static_cast<char>(bytes / 2 / 1024 * 1024));
}

TEST(PeakMemory, IsWhatAPieceOfWorkTookAndNotTheOneBefore) {
  if (!kIsTold || resident_bytes() == 0) GTEST_SKIP() << "this system does not tell";
  PeakMemory peaks;
  const double before = resident_bytes();
  const auto large = peaks.begin();
  use(4 * kBytes);
  const double of_large = peaks.end(large);
  const auto small = peaks.begin();
  use(kBytes);
  const double of_small = peaks.end(small);
  EXPECT_GT(of_large, before + 3.9 * kBytes);
  EXPECT_LT(of_small, of_large - 2 * kBytes);
  EXPECT_GT(of_small, before + 0.9 * kBytes);
}

TEST(PeakMemory, PiecesAtTheSameTimeSeeTheSum) {
  if (!kIsTold || resident_bytes() == 0) GTEST_SKIP() << "this system does not tell";
  PeakMemory peaks;
  const double before = resident_bytes();
  const auto outer = peaks.begin();
  use(4 * kBytes);
  const auto inner = peaks.begin();
  use(kBytes);
  EXPECT_LT(peaks.end(inner), before + 3 * kBytes);
  EXPECT_GT(peaks.end(outer), before + 3.9 * kBytes);
}

}  // namespace
}  // namespace clade
