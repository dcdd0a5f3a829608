#pragma once

#include <vector>

#include "select/filter/node_matrix.h"
#include "select/unsupervised/neighbour_graph.h"

namespace clade {

struct NdfsOptions {
  GraphOptions graph;
  int clusters = 5;
  double alpha = 1;
  double beta = 1;
  double gamma = 1e8;
  int starts = 5;
  int iterations = 50;
  double tolerance = 1e-6;
};

template <class V>
void describe(V& v, NdfsOptions& o) {
  v("clusters", o.clusters, at_least(1), "clusters to look for");
  v("alpha", o.alpha, positive(), "weight of the regression");
  v("beta", o.beta, positive(), "weight of the row-sparsity penalty");
  v("gamma", o.gamma, positive(), "weight of the orthogonality of the clusters");
  v("starts", o.starts, at_least(1), "k-means starts, of which the best is taken");
  v("iterations", o.iterations, at_least(1), "iterations at most");
  v("tolerance", o.tolerance, nonnegative(), "relative change of the objective to stop at");
  describe(v, o.graph);
}

struct NdfsResult {
  Matrix weights;   // W, a column per feature
  Matrix clusters;  // F, a column per sample
  std::vector<double> objective;
};

// Described in ndfs.cpp. `start` is the first F: a column per sample, a row per cluster, all values positive.
NdfsResult solve_ndfs(const NodeMatrix& x, const NeighbourGraph& graph, Matrix start, const NdfsOptions& options,
                      Context& ctx);

}  // namespace clade
