#pragma once

#include <string_view>
#include <vector>

#include "data/node_table.h"

namespace clade {

// What the coupled family needs beside the data, in bytes.
struct MemoryPlan {
  double grams = 0;    // X'X of tall nodes, X of wide ones
  double terms = 0;    // what a method keeps for every node, features x features
  double work = 0;     // systems under way
  double weights = 0;  // W of all nodes
  double total() const { return grams + terms + work + weights; }
};

// Matrices of features x features that a method keeps from the beginning to the end.
struct KeptMatrices {
  bool one_per_node = false;      // and then systems are features x features as well
  Index others = 0;               // besides
  std::string_view needing_less;  // parameters that would need less, for the message
};

struct MemoryNeeds {
  Index features = 0;
  bool is_sparse = false;
  int threads = 1;
  KeptMatrices kept;
};

MemoryPlan plan_memory(const std::vector<NodeTable>& tables, const MemoryNeeds& needs);

// Throws Error (kInput) if that is more than `limit` bytes, with the number of features that would fit.
void require_memory(const std::vector<NodeTable>& tables, const MemoryNeeds& needs, double limit);

}  // namespace clade
