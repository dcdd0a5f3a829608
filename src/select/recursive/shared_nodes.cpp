#include "select/recursive/shared_nodes.h"

#include <algorithm>
#include <cstddef>

#include "data/row_exchange.h"
#include "select/recursive/problem.h"

namespace clade {

std::vector<double> node_costs(const Taxonomy& taxonomy, const std::vector<NodeTable>& tables, Index features,
                               int iterations) {
  const auto p = static_cast<double>(features);
  std::vector<double> below(static_cast<std::size_t>(taxonomy.size()), 0);  // samples of tall children
  for (const NodeTable& table : tables) {
    if (!is_cheaper_by_features(table.samples(), features)) continue;
    for (const NodeId parent : taxonomy.parents(table.node)) {
      below[static_cast<std::size_t>(parent)] += static_cast<double>(table.samples());
    }
  }
  std::vector<double> cost;
  for (const NodeTable& table : tables) {
    const auto n = static_cast<double>(table.samples());
    const bool is_tall = is_cheaper_by_features(table.samples(), features);
    const double step = is_tall ? p * p * p / 3 : n * n * p + n * n * n / 3;
    const double rows = is_tall ? std::max(0.0, n - below[static_cast<std::size_t>(table.node)]) : 0;
    cost.push_back(iterations * step + rows * p * p);
  }
  return cost;
}

std::vector<std::vector<Index>> rows_by_owner(const Dataset& data, const std::vector<NodeTable>& tables,
                                              const NodeOwners& owners) {
  const bool sums_up = data.taxonomy().is_tree() && !has_several_labels(data);
  std::vector<char> is_tall(static_cast<std::size_t>(data.taxonomy().size()), 0);
  for (const NodeTable& table : tables) {
    is_tall[static_cast<std::size_t>(table.node)] = is_cheaper_by_features(table.samples(), data.features()) ? 1 : 0;
  }
  WantedRows wanted(*data.row_parts());
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const NodeTable& table = tables[i];
    const bool can_ask = sums_up && is_tall[static_cast<std::size_t>(table.node)] != 0;
    for (Index r = 0; r < table.samples(); ++r) {
      const auto child = static_cast<std::size_t>(table.children[static_cast<std::size_t>(table.labels(r)[0])]);
      if (can_ask && is_tall[child] != 0) continue;
      wanted.add(owners.owner(i), table.rows[static_cast<std::size_t>(r)]);
    }
  }
  return wanted.rows();
}

}  // namespace clade
