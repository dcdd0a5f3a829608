#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "comm/team.h"
#include "math/dense.h"

namespace clade {

// Sums of vectors over blocks of data, of which every process of a team has some: the same bits for any number of
// processes. Two neighbouring blocks are added, then two such pairs, and so on; each process adds what it has, and
// hands the rest on.
class BlockSums {
 public:
  // `blocks` is a power of two. Every process has consecutive ones.
  BlockSums(Team& team, int blocks);

  int blocks() const { return blocks_; }
  Team& team() const { return *team_; }
  // The blocks of a process: from the first to before the second.
  std::pair<int, int> of(int process) const;
  std::pair<int, int> own() const { return of(team_->rank()); }

  // add(block, sum) adds the vector of an own block to zeros. All processes call it, and get the sum of all blocks.
  Vector sum(Index numbers, const std::function<void(int block, Vector& sum)>& add) const;

 private:
  // The sum of blocks that belong together: `count` is a power of two, and `begin` a multiple of it.
  struct Part {
    int begin;
    int count;
    Vector sum;
  };

  Part part_of(int begin, int count, Index numbers, const std::function<void(int, Vector&)>& add) const;
  static void append(std::vector<Part>& parts, Part part);
  void hand_on(std::vector<Part>& parts) const;

  Team* team_;
  int blocks_;
};

}  // namespace clade
