#pragma once

#include <clade/types.h>

#include <functional>
#include <utility>

#include "comm/block_sums.h"
#include "math/dense.h"

namespace clade {

// The rows 0, 1, ... of some data in blocks of about equal length, of which every process of a team has consecutive
// ones. Where a block begins depends on the number of rows alone.
class EvenBlocks {
 public:
  // As many blocks as have `least` rows each, a power of two and at most 256.
  EvenBlocks(Team& team, Index rows, Index least);
  // A single one.
  static EvenBlocks one(Team& team, Index rows) { return {team, rows, rows + 1}; }

  Index rows() const { return rows_; }
  const BlockSums& sums() const { return sums_; }
  // From the first row of a block, or of a process, to before the second.
  std::pair<Index, Index> rows_of(int block) const { return {begin_of(block), begin_of(block + 1)}; }
  std::pair<Index, Index> rows_of_process(int process) const;
  std::pair<Index, Index> own_rows() const { return rows_of_process(sums_.team().rank()); }
  int block_of(Index row) const;
  int process_of(int block) const;

  // For all processes, some numbers of every block: column b is what fill(b, column) writes, which is called for own
  // blocks. All processes call it.
  Matrix gathered(Index numbers, const std::function<void(int block, double* column)>& fill) const;

 private:
  Index begin_of(int block) const { return block * rows_ / sums_.blocks(); }

  Index rows_;
  BlockSums sums_;
};

}  // namespace clade
