#pragma once

#include <vector>

#include "select/filter/node_matrix.h"
#include "select/unsupervised/neighbour_graph.h"

namespace clade {

struct RufsOptions {
  GraphOptions graph;
  int clusters = 5;
  double alpha = 1;
  double beta = 1;
  double nu = 1;
  double gamma = 1e3;
  int starts = 5;
  int iterations = 50;
  double tolerance = 1e-6;
};

template <class V>
void describe(V& v, RufsOptions& o) {
  v("clusters", o.clusters, at_least(1), "clusters to look for");
  v("alpha", o.alpha, positive(), "weight of the regression");
  v("beta", o.beta, positive(), "weight of the row-sparsity penalty");
  v("nu", o.nu, nonnegative(), "weight of the neighbour graph");
  v("gamma", o.gamma, nonnegative(), "weight of the orthogonality of the clusters");
  v("starts", o.starts, at_least(1), "k-means starts, of which the best is taken");
  v("iterations", o.iterations, at_least(1), "iterations at most");
  v("tolerance", o.tolerance, nonnegative(), "relative change of the objective to stop at");
  describe(v, o.graph);
}

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
