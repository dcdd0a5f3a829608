#include "comm/even_blocks.h"

namespace clade {
namespace {

int number_of_blocks(Index rows, Index least) {
  constexpr int kMost = 256;
  int blocks = 1;
  while (blocks < kMost && rows >= 2 * blocks * least) blocks *= 2;
  return blocks;
}

}  // namespace

EvenBlocks::EvenBlocks(Team& team, Index rows, Index least) : rows_(rows), sums_(team, number_of_blocks(rows, least)) {}

std::pair<Index, Index> EvenBlocks::rows_of_process(int process) const {
  const auto [first, end] = sums_.of(process);
  return {begin_of(first), begin_of(end)};
}

int EvenBlocks::block_of(Index row) const {
  auto block = static_cast<int>(row * sums_.blocks() / rows_);
  while (block + 1 < sums_.blocks() && begin_of(block + 1) <= row) ++block;
  return block;
}

int EvenBlocks::process_of(int block) const {
  int process = 0;
  while (sums_.of(process).second <= block) ++process;
  return process;
}

Matrix EvenBlocks::gathered(Index numbers, const std::function<void(int, double*)>& fill) const {
  // Sums with zeros are exact.
  const Vector all =
      sums_.sum(numbers * sums_.blocks(), [&](int block, Vector& sum) { fill(block, sum.data() + block * numbers); });
  return Eigen::Map<const Matrix>(all.data(), numbers, sums_.blocks());
}

}  // namespace clade
