#pragma once

#include <clade/evaluate.h>
#include <clade/taxonomy.h>

#include <vector>

namespace clade {

// Where the samples of a child of an inner node went: to the same child, to a wrong child of that node, no further than
// the node itself, or elsewhere in the hierarchy. A sample of several labels counts once for each of its true children,
// and once for each wrong child where it has several.
struct BranchCount {
  static constexpr NodeId kStopped = -1;
  static constexpr NodeId kElsewhere = -2;

  NodeId node = 0;   // the inner node
  NodeId child = 0;  // the true child
  NodeId went = 0;   // the predicted child, kStopped or kElsewhere
  Index count = 0;
};

// Those that are not 0, by node, child and where they went. O(samples x true x predicted nodes, with ancestors).
std::vector<BranchCount> branch_counts(const JudgedSamples& judged, const Taxonomy& taxonomy);

}  // namespace clade
