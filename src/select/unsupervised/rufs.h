#pragma once

#include <vector>

#include "select/unsupervised/cluster_regression.h"

namespace clade {

struct RufsOptions : ClusterRegressionOptions {
  double nu = 1;
  double gamma = 1e3;
};

struct RufsResult {
  Matrix weights;   // W, a column per feature
  Matrix clusters;  // G, a column per sample
  Matrix centres;   // F, a column per feature
  std::vector<double> objective;
};

// Described in rufs.cpp. `squares` are the ||x_i||^2; `start` is the first G: a column per sample, a row per cluster,
// all values positive.
RufsResult solve_rufs(const NodeMatrix& x, const Vector& squares, const NeighbourGraph& graph, Matrix start,
                      const RufsOptions& options, Context& ctx);

}  // namespace clade
