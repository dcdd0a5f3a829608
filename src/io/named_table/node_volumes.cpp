#include "io/named_table/node_volumes.h"

#include <clade/error.h>
#include <fmt/format.h>

#include "io/named_table/named_table.h"

namespace clade {

std::vector<double> read_node_volumes(const std::string& path, const Taxonomy& taxonomy, Context& ctx) {
  std::vector<double> volume(static_cast<std::size_t>(taxonomy.size()), 1);
  const NamedTable table = read_named_table(path, ctx);
  if (table.columns.size() != 1) {
    throw input_error({.file = table.file}, fmt::format("{} columns of numbers", table.columns.size()),
                      "expected node,volume");
  }
  for (std::size_t k = 0; k < table.rows.size(); ++k) {
    const auto node = taxonomy.find(table.rows[k]);
    if (!node) {
      throw input_error({.file = table.file}, fmt::format("no node '{}' in the hierarchy", table.rows[k]),
                        "expected names of its nodes");
    }
    if (table.values[k][0] < 0) {
      throw input_error({.file = table.file}, fmt::format("the volume of '{}' is negative", table.rows[k]),
                        "expected volumes of at least 0");
    }
    volume[static_cast<std::size_t>(*node)] = table.values[k][0];
  }
  return volume;
}

}  // namespace clade
