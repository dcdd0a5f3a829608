#pragma once

#include <gtest/gtest.h>

#include "data/random_data.h"
#include "select/selector.h"
#include "select/unsupervised/naive.h"

namespace clade::testing {

Dataset dataset_of(const NaiveMatrix& x, bool sparse = false);
NaiveMatrix random_values(Index samples, Index features, std::uint64_t seed);

// Clusters about centres of their own, values of at least 0.
NaiveMatrix clustered_values(Index samples, Index features, Index clusters, std::uint64_t seed);

// Clusters in turn, softened.
NaiveMatrix soft_clusters(Index samples, Index clusters);
void expect_near(const NaiveMatrix& found, const NaiveMatrix& expected, double relative, const char* what = "");
FeatureRanking select_without_labels(const std::string& method, const Dataset& data,
                                     const std::vector<std::pair<std::string, std::string>>& parameters = {},
                                     int threads = 2);

// Weights by feature.
NaiveVector weights_of(const FeatureRanking& ranking);

}  // namespace clade::testing
