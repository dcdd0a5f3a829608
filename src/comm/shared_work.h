#pragma once

#include <clade/context.h>

#include <cstddef>
#include <vector>

namespace clade {

// What of a piece of work processes can share, as it is when one process does all of it: what a plan for several is
// made from (Team::record_work()).
struct SharedWork {
  // Tasks that were dealt out, with what came of them.
  struct Tasks {
    std::vector<double> cost;
    std::vector<int> threads;  // how many each can use; empty: as many as there are
    double seconds = 0;
    double bytes = 0;
    ResultsFor whom = ResultsFor::kAll;
  };
  // Nodes that stay with their owners. Those of a wave are worked on at the same time; what was found then goes to all.
  struct Nodes {
    std::vector<double> cost;
    std::vector<std::vector<std::size_t>> waves;
    double seconds = 0;
    double bytes = 0;
    double exchanges = 0;
  };
  std::vector<Tasks> tasks;
  std::vector<Nodes> nodes;
};

}  // namespace clade
