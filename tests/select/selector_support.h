#pragma once

#include <string>

#include "data/random_data.h"
#include "select/selector.h"

// Running selectors on random problems.
namespace clade::testing {

// Trees and DAGs, dense and sparse, one or several labels, by the bits of `k`; all labels are leaves.
inline RandomDataOptions random_problem_options(int k) {
  RandomDataOptions options;
  options.seed = static_cast<std::uint64_t>(k) + 1;
  options.dag = k % 2 == 1;
  options.sparse = k / 2 % 2 == 1;
  options.several_labels = k / 4 % 2 == 1;
  options.nodes = 6 + k % 9;
  options.density = 0.7;
  return options;
}

inline FeatureRanking run_selector(const std::string& method, const Dataset& data, const Parameters& parameters,
                                   int threads = 2) {
  Context ctx({.threads = threads});
  const std::unique_ptr<Selector> selector = selector_table().make(method);
  ParameterTable table = selector->parameters();
  for (const auto& [name, value] : parameters) table.set(name, value.text());
  const std::vector<NodeTable> tables = node_tables(data);
  SelectionInput input{data, tables, {}, 0};
  for (const NodeTable& t : tables) input.nodes.push_back(t.node);
  return selector->select(input, ctx);
}

}  // namespace clade::testing
