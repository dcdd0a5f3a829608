#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <string>
#include <vector>

#include "math/dense.h"

namespace clade {

// Where methods that look for clusters begin: the best of some k-means starts, by the context's seed.

// The cluster of every sample, each cluster with at least one: where fewer samples differ than there are clusters,
// which a note says, an empty one takes the last sample of the largest. There must be as many samples as clusters.
std::vector<Index> start_clusters(const Dataset& data, Index clusters, int starts, std::vector<std::string>& notes,
                                  Context& ctx);

// Those as a matrix with a column per sample and a row per cluster: 1 + outside where the sample is in the cluster and
// `outside` elsewhere, every row then scaled to length 1.
Matrix cluster_matrix(const std::vector<Index>& cluster, Index clusters, double outside);

// `outside` for methods that improve their clusters by factors, which would leave a 0 at 0.
constexpr double kSoftStart = 0.2;

}  // namespace clade
