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

// Those as a matrix: a column per sample, a row per cluster, of length 1; `outside` in place of 0 and 1 + outside in
// place of 1 before that. Methods that multiply their clusters by factors need something above 0.
Matrix cluster_matrix(const std::vector<Index>& cluster, Index clusters, double outside);

// Of that for such methods.
constexpr double kSoftStart = 0.2;

}  // namespace clade
