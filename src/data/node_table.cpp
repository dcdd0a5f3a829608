#include "data/node_table.h"

#include <algorithm>

#include "core/check.h"

namespace clade {
namespace {

// All nodes at or above the labels, ascending.
void collect_ancestors(const Taxonomy& taxonomy, std::span<const NodeId> labels, std::vector<Index>& met, Index sample,
                       std::vector<NodeId>& nodes) {
  nodes.clear();
  const auto add = [&](NodeId node) {
    if (met[static_cast<std::size_t>(node)] == sample) return;
    met[static_cast<std::size_t>(node)] = sample;
    nodes.push_back(node);
  };
  for (const NodeId label : labels) add(label);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    for (const NodeId parent : taxonomy.parents(nodes[k])) add(parent);
  }
  std::sort(nodes.begin(), nodes.end());
}

// Columns hold node ids while samples are added; here the ids become numbers. `number` has a place for every node, all
// of them kNoNumber before and after.
constexpr std::int32_t kNoNumber = -1;
void number_children(NodeTable& table, std::vector<std::int32_t>& number) {
  for (const std::int32_t child : table.columns) {
    std::int32_t& own = number[static_cast<std::size_t>(child)];
    if (own == kNoNumber) table.children.push_back(child);
    own = 0;
  }
  std::sort(table.children.begin(), table.children.end());
  for (std::size_t k = 0; k < table.children.size(); ++k) {
    number[static_cast<std::size_t>(table.children[k])] = static_cast<std::int32_t>(k);
  }
  for (std::int32_t& column : table.columns) column = number[static_cast<std::size_t>(column)];
  for (const NodeId child : table.children) number[static_cast<std::size_t>(child)] = kNoNumber;
}

}  // namespace

std::vector<NodeTable> node_tables(const Dataset& data) {
  const Taxonomy& taxonomy = data.taxonomy();
  const auto internal = taxonomy.internal_nodes();
  std::vector<NodeTable> tables(internal.size());
  std::vector<std::size_t> table_of(static_cast<std::size_t>(taxonomy.size()), 0);
  for (std::size_t k = 0; k < internal.size(); ++k) {
    tables[k].node = internal[k];
    table_of[static_cast<std::size_t>(internal[k])] = k;
  }
  std::vector<Index> met(static_cast<std::size_t>(taxonomy.size()), -1);
  std::vector<NodeId> nodes;
  for (Index s = 0; s < data.samples(); ++s) {
    const auto labels = data.labels(s);
    CLADE_CHECK(std::all_of(labels.begin(), labels.end(), [&](NodeId label) { return taxonomy.is_leaf(label); }));
    collect_ancestors(taxonomy, labels, met, s, nodes);
    // Children come in id order because `nodes` ascends.
    for (const NodeId node : nodes) {
      for (const NodeId parent : taxonomy.parents(node)) {
        NodeTable& table = tables[table_of[static_cast<std::size_t>(parent)]];
        if (table.rows.empty() || table.rows.back() != s) {
          table.rows.push_back(s);
          table.offsets.push_back(table.offsets.back());
        }
        table.columns.push_back(node);
        ++table.offsets.back();
      }
    }
  }
  std::vector<std::int32_t> number(met.size(), kNoNumber);
  for (NodeTable& table : tables) number_children(table, number);
  return tables;
}

NodeTable flat_table(const Dataset& data) {
  NodeTable table;
  for (Index s = 0; s < data.samples(); ++s) {
    const auto labels = data.labels(s);
    if (labels.empty()) continue;
    table.rows.push_back(s);
    table.columns.insert(table.columns.end(), labels.begin(), labels.end());
    table.offsets.push_back(static_cast<Index>(table.columns.size()));
  }
  std::vector<std::int32_t> number(static_cast<std::size_t>(data.taxonomy().size()), kNoNumber);
  number_children(table, number);
  return table;
}

}  // namespace clade
