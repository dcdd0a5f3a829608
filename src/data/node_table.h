#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <span>
#include <vector>

namespace clade {

// The sub-table of an internal node: the samples with a label below it, in their order, and for each the children of
// the node that it belongs to. Only children with samples count, in id order.
struct NodeTable {
  NodeId node = kNoNode;
  std::vector<NodeId> children;
  std::vector<Index> rows;            // samples of the data set
  std::vector<Index> offsets{0};      // rows + 1
  std::vector<std::int32_t> columns;  // per row, the numbers of its children, ascending

  Index samples() const { return static_cast<Index>(rows.size()); }
  Index classes() const { return static_cast<Index>(children.size()); }
  std::span<const std::int32_t> labels(Index row) const {
    const auto r = static_cast<std::size_t>(row);
    return {columns.data() + offsets[r], static_cast<std::size_t>(offsets[r + 1] - offsets[r])};
  }
};

// One table per internal node, in id order. All labels must be leaves: see with_leaf_labels().
// O(samples x ancestors of their labels).
std::vector<NodeTable> node_tables(const Dataset& data);

// The leaves that have samples as one table, for selectors that ignore the hierarchy; its node is kNoNode.
NodeTable flat_table(const Dataset& data);

}  // namespace clade
