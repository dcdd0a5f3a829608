#pragma once

#include <string_view>
#include <vector>

#include "comm/node_owners.h"
#include "data/node_table.h"

namespace clade {

// What the coupled family needs besides the data, in bytes.
struct MemoryPlan {
  double grams = 0;    // X'X of tall nodes, X of wide ones
  double terms = 0;    // what a method keeps for every node, features x features
  double work = 0;     // systems being solved
  double weights = 0;  // W of all nodes
  double total() const { return grams + terms + work + weights; }
};

// Features x features matrices that a method keeps throughout.
struct KeptMatrices {
  bool one_per_node = false;      // if so, systems are features x features as well
  Index others = 0;               // in addition
  std::string_view needing_less;  // parameter values that would need less, for the message
};

struct MemoryNeeds {
  Index features = 0;
  bool is_sparse = false;
  int threads = 1;
  KeptMatrices kept;
  NodeOwners owners;
};

// For one process.
MemoryPlan plan_memory(const std::vector<NodeTable>& tables, const MemoryNeeds& needs);

// Throws Error (kInput) if the plan exceeds `limit` bytes; the message says how many features would fit.
void require_memory(const std::vector<NodeTable>& tables, const MemoryNeeds& needs, double limit);

}  // namespace clade
