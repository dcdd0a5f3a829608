#pragma once

#include <functional>
#include <vector>

#include "comm/team.h"
#include "core/byte_string.h"

namespace clade {

// Which process of a team works on which nodes, throughout: the data of a node, and what is computed from them, are
// with its owner alone, and the others know its weights.
class NodeOwners {
 public:
  // This process has all nodes.
  NodeOwners() = default;
  // Deals them out: the costliest first, each to the process that has least so far; then nodes move or change places as
  // long as that relieves the process that has most.
  NodeOwners(Team& team, const std::vector<double>& cost);
  // What process `rank` of some would have, for a plan.
  NodeOwners(int rank, int processes, const std::vector<double>& cost);

  bool is_shared() const { return team_ != nullptr; }
  bool is_own(std::size_t i) const { return owner_.empty() || owner_[i] == rank_; }
  int owner(std::size_t i) const { return owner_[i]; }
  Team& team() const { return *team_; }

  // Tells all, or the leader alone, what their owners know of these nodes: `put` is called for own nodes, and `get` for
  // those of others. All processes call it; alone it does nothing.
  void exchange(const std::vector<std::size_t>& nodes, const std::function<void(std::size_t, ByteWriter&)>& put,
                const std::function<void(std::size_t, ByteReader&)>& get, ResultsFor whom = ResultsFor::kAll) const;

 private:
  bool relieve_busiest(const std::vector<double>& cost, std::vector<double>& load);
  void record(const std::vector<std::size_t>& nodes, double bytes) const;

  Team* team_ = nullptr;
  int rank_ = 0;
  std::vector<int> owner_;
};

}  // namespace clade
