#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <string>
#include <vector>

#include "math/dense.h"

namespace clade {

// Where methods that look for clusters start: the best of several k-means runs, by the context's seed.

// The cluster of every sample; no cluster is empty. If fewer samples differ than there are clusters, which a note says,
// an empty cluster takes the last sample of the largest. There must be at least as many samples as clusters.
std::vector<Index> start_clusters(const Dataset& data, Index clusters, int starts, std::vector<std::string>& notes,
                                  Context& ctx);

// The clusters as a matrix with a column per sample and a row per cluster: 1 + outside where the sample is in the
// cluster and `outside` elsewhere; then every row is scaled to length 1.
Matrix cluster_matrix(const std::vector<Index>& cluster, Index clusters, double outside);

// `outside` for methods that update their clusters by factors, which would keep a 0 at 0.
constexpr double kSoftStart = 0.2;

}  // namespace clade
