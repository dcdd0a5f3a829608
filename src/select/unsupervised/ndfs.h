#pragma once

#include <vector>

#include "select/unsupervised/cluster_regression.h"

namespace clade {

struct NdfsOptions : ClusterRegressionOptions {
  double gamma = 1e8;
};

struct NdfsResult {
  Matrix weights;   // W, a column per feature
  Matrix clusters;  // F, a column per sample
  std::vector<double> objective;
};

// Described in ndfs.cpp. `start` is the first F: a column per sample, a row per cluster, all values positive.
NdfsResult solve_ndfs(const NodeMatrix& x, const NeighbourGraph& graph, Matrix start, const NdfsOptions& options,
                      Context& ctx);

}  // namespace clade
