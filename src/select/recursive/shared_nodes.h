#pragma once

#include <clade/dataset.h>

#include <vector>

#include "comm/node_owners.h"
#include "data/node_table.h"

namespace clade {

// The work on every node, in multiplications: the matrix of the samples that no child has once, and a factorisation in
// every iteration.
std::vector<double> node_costs(const Taxonomy& taxonomy, const std::vector<NodeTable>& tables, Index features,
                               int iterations);

// The samples whose values the owners need, ascending, by process. In trees with one label per sample, tall children
// tell their parents' owners what these need of theirs.
std::vector<std::vector<Index>> rows_by_owner(const Dataset& data, const std::vector<NodeTable>& tables,
                                              const NodeOwners& owners);

}  // namespace clade
