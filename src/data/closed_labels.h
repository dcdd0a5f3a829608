#pragma once

#include <clade/dataset.h>
#include <clade/types.h>

#include <span>
#include <vector>

#include "math/pooled_ranking.h"

namespace clade {

// Labels closed upward: a sample belongs to a node if the node is one of its labels or above one. Columns are the nodes
// that have samples, without the root and, unless they are asked for, the miscellaneous leaves, which stand for their
// parents.
struct ClosedLabels {
  std::vector<NodeId> nodes;      // of each column, ascending
  PositivePairs members;          // per sample: its columns
  std::vector<double> frequency;  // per column: the weighted share of samples that belong to it

  Index columns() const { return std::ssize(nodes); }
};

// Miscellaneous leaves have no columns, or columns of their own.
enum class MiscellaneousLeaves { kDropped, kKept };

// `weight` has one number per sample; empty: 1 each.
ClosedLabels closed_labels(const Dataset& data, std::span<const double> weight,
                           MiscellaneousLeaves leaves = MiscellaneousLeaves::kDropped);

// The labels of some samples; columns and their frequencies stay those of all.
ClosedLabels labels_of(const ClosedLabels& labels, std::span<const Index> some);

}  // namespace clade
