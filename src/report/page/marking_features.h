#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/evaluate.h>
#include <clade/taxonomy.h>

#include <utility>
#include <vector>

namespace clade {

// The features by which the samples of a node stand out from the others below its parents: the difference of the means,
// in standard deviations of the feature over all samples. What the data say, whatever the model makes of it.
//
// For each of `nodes` at most `top` features, largest differences first, whichever their sign; none if the node has
// fewer than two samples, or its siblings have. Missing values count as the mean. Cost: O(values x levels + nodes x
// features).
using MarkingFeatures = std::vector<std::pair<FeatureIndex, double>>;
std::vector<MarkingFeatures> marking_features(const Dataset& data, const JudgedSamples& judged,
                                              const Taxonomy& taxonomy, const std::vector<NodeId>& nodes, Index top,
                                              Context& ctx);

}  // namespace clade
