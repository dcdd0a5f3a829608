#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <string>
#include <vector>

#include "comm/even_blocks.h"
#include "comm/team.h"

namespace clade {

// Rows of one data set that several processes have: each has the values of consecutive samples, and asks others for
// those that it needs.

// The samples whose values each process wants, as far as it concerns this one: all that it wants itself, and those that
// others want of its own.
class WantedRows {
 public:
  explicit WantedRows(const RowParts& parts);
  void add(int process, Index sample);
  // By process, ascending.
  std::vector<std::vector<Index>> rows() const;

 private:
  int own_;
  Index begin_;  // of the samples that this process has
  Index end_;
  std::vector<std::vector<char>> is_wanted_;  // for this process all samples, for others those that it has
};

// `own` is what this process has, with the same columns and the same taxonomy as the others. The result has the samples
// of all, in the order of the processes, and the values of its own, in the same storage for all. All processes call it.
Dataset with_labels_of_others(const Dataset& own, Storage storage, Team& team, Context& ctx);

// The same data with the values, and names, of other rows: those that this process wants. All processes call it, and
// tell each other the same.
Dataset with_rows(const Dataset& data, const std::vector<std::vector<Index>>& wanted, Team& team);

// The samples of the blocks that this process has, alone: those of a data set that all have, or exchanged where each
// has rows. All processes call it.
Dataset own_blocks(const Dataset& data, const EvenBlocks& blocks);

// The names of all samples, as sample_name() gives them, for the leader; nothing for others. All processes call it.
std::vector<std::string> all_sample_names(const Dataset& data, Team& team);

// All samples with their values of some features: process r gets the features from first[r] to first[r + 1]. Exchanged
// from data of which each process has rows. All processes call it with the same.
Dataset with_columns(const Dataset& data, const std::vector<Index>& first, Team& team);

// Such ranges with about equally many values. All processes call it, and get the same.
std::vector<Index> equal_columns(const Dataset& data, Team& team);

}  // namespace clade
