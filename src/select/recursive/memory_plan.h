#pragma once

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

struct MemoryNeeds {
  Index features = 0;
  bool is_sparse = false;
  int threads = 1;
  bool has_full_terms = false;  // features x features for every node
  Index kept_sums = 0;          // further features x features matrices that a method keeps
};

MemoryPlan plan_memory(const std::vector<NodeTable>& tables, const MemoryNeeds& needs);

// Throws Error (kInput) if that is more than `limit` bytes, with the number of features that would fit.
void require_memory(const std::vector<NodeTable>& tables, const MemoryNeeds& needs, double limit);

}  // namespace clade
