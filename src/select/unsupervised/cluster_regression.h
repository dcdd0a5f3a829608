#pragma once

#include <vector>

#include "select/unsupervised/neighbour_graph.h"
#include "select/unsupervised/unsupervised_selector.h"
#include "select/weighted_regression.h"

namespace clade {

// What methods share that look for clusters of neighbours which few features can predict: a neighbour graph, a start by
// k-means, a weighted regression of the clusters on the features, and features ranked by ||w_j||.

struct ClusterRegressionOptions {
  GraphOptions graph;
  int clusters = kAutoClusters;
  double alpha = 1;
  double beta = 1;
  int starts = 5;
  int iterations = 50;
  double tolerance = 1e-6;
};

// `describe_own(v)` declares the parameters that only this method has.
template <class DescribeOwn>
void describe(ParameterTable& v, ClusterRegressionOptions& o, DescribeOwn&& describe_own) {
  describe_clusters(v, o.clusters);
  v("alpha", o.alpha, positive(), "weight of the regression");
  v("beta", o.beta, positive(), "weight of the row-sparsity penalty");
  describe_own(v);
  v("starts", o.starts, at_least(1), "k-means starts, of which the best is taken");
  v("iterations", o.iterations, at_least(1), "largest number of iterations");
  v("tolerance", o.tolerance, nonnegative(), "stop when the objective changes by no more than this share");
  describe(v, o.graph);
}

class ClusterRegressionSelector : public UnsupervisedSelector {
 public:
  Grid default_grid() const final { return {{"alpha", {"1e-2", "1", "1e2"}}, {"beta", {"1e-2", "1", "1e2"}}}; }

 protected:
  struct Solved {
    Matrix weights;  // W, a column per feature
    std::vector<double> objective;
  };
  // `start` has a column per sample and a row per cluster, all values positive.
  virtual Solved solve(const Dataset& data, const NodeMatrix& x, const NeighbourGraph& graph, Matrix start,
                       Context& ctx) const = 0;
  virtual ClusterRegressionOptions& options() = 0;
  virtual WeightedRegression::Gram gram() const = 0;

 private:
  Scores score(const SelectionInput& input, const std::vector<bool>& constant, Context& ctx) final;
};

// Like factor(), but a failure throws Error (kInput).
void factor_or_throw(WeightedRegression& regression, const Vector& e, const Vector& c, Context& ctx);

// Has the last value changed by at most `tolerance`, relative to itself? Never true of the first value.
bool has_settled(const std::vector<double>& objective, double tolerance);

}  // namespace clade
