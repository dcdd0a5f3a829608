#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <span>
#include <vector>

#include "induce/linkage.h"

namespace clade {

// Features that are not constant, ascending.
std::vector<FeatureIndex> varying_features(const Dataset& data);

// 1 - r(f, g) for every pair of the given features, none of them constant, with Pearson's correlation
//
//   r(f, g) = sum_i (x_if - mean_f) (x_ig - mean_g) / sqrt(sum_i (x_if - mean_f)² sum_i (x_ig - mean_g)²)
//
// Never negative. Throws Error (kInput) if values are too large to compute with. Cost: O(samples x features²) at the
// speed of matrix products.
CondensedDistances correlation_distances(const Dataset& data, std::span<const FeatureIndex> features, Context& ctx);

// Bytes that correlation_distances() takes, including the result.
double correlation_bytes(Index samples, Index features);

}  // namespace clade
