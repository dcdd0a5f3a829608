#pragma once

#include <clade/dataset.h>
#include <clade/select.h>

#include <vector>

#include "comm/node_owners.h"
#include "comm/shared_work.h"
#include "data/node_table.h"

namespace clade {

// What several processes take for work that one process has been seen to do (comm/shared_work.h).
struct SharedLoad {
  double longest = 1;        // the time of the process that is the last to finish, as a share of that of all
  std::vector<double> sent;  // bytes, by process
};

// Tasks that are dealt out to whoever is idle. Their results go to the leader, and from there to all.
SharedLoad load_of_tasks(const SharedWork::Tasks& tasks, int processes, int threads_of_process);

// The nodes of a selector that stay with their owners, at full size.
class NodePlan {
 public:
  NodePlan(const Dataset& data, const SelectOptions& options);

  double cost() const;  // of all nodes
  // Results go to all after every wave; the matrices of children go to the owners of parents.
  SharedLoad load(const SharedWork::Nodes& seen, int processes) const;
  // What the nodes of the process with the most of them take, in bytes.
  double memory(int processes, int threads) const;

 private:
  NodeOwners owners(int rank, int processes) const { return {rank, processes, cost_}; }
  void add_matrices(const NodeOwners& owners, std::vector<double>& sent) const;

  Dataset data_;
  std::vector<NodeTable> tables_;
  Index features_;
  std::vector<double> cost_;
};

}  // namespace clade
