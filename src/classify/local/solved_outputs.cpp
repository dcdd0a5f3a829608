#include "classify/local/solved_outputs.h"

#include <cstdint>
#include <iterator>
#include <utility>

#include "core/check.h"

namespace clade {

void SolvedOutputs::append(SolvedOutputs more) {
  CLADE_CHECK(more.decision == decision && more.features == features);
  children.insert(children.end(), more.children.begin(), more.children.end());
  weights.insert(weights.end(), std::make_move_iterator(more.weights.begin()),
                 std::make_move_iterator(more.weights.end()));
  bias.insert(bias.end(), more.bias.begin(), more.bias.end());
  has_converged = has_converged && more.has_converged;
}

void put(ByteWriter& bytes, const SolvedOutputs& outputs) {
  bytes.put(outputs.children).put(outputs.decision).put(outputs.features).put(outputs.bias).put(outputs.has_converged);
  bytes.put(std::uint64_t{outputs.weights.size()});
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  for (const SparseOutput& output : outputs.weights) {
    columns.clear();
    values.clear();
    for (const auto& [column, value] : output) {
      columns.push_back(column);
      values.push_back(value);
    }
    bytes.put(columns).put(values);
  }
}

SolvedOutputs get_outputs(ByteReader& bytes) {
  SolvedOutputs outputs;
  bytes.get(outputs.children).get(outputs.decision).get(outputs.features).get(outputs.bias).get(outputs.has_converged);
  outputs.weights.resize(bytes.get<std::uint64_t>());
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  for (SparseOutput& output : outputs.weights) {
    bytes.get(columns).get(values);
    output.reserve(columns.size());
    for (std::size_t k = 0; k < columns.size(); ++k) output.emplace_back(columns[k], values[k]);
  }
  return outputs;
}

}  // namespace clade
