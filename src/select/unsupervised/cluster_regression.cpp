#include "select/unsupervised/cluster_regression.h"

#include <clade/error.h>

#include <cmath>

#include "select/unsupervised/cluster_start.h"

namespace clade {

UnsupervisedSelector::Scores ClusterRegressionSelector::score(const SelectionInput& input,
                                                              const std::vector<bool>& /*constant*/, Context& ctx) {
  Scores scores;
  const Dataset& data = input.data;
  ClusterRegressionOptions& own = options();
  own.clusters = clusters_for(own.clusters, data, data.samples(), scores.notes);
  require_memory(WeightedRegression::memory(data.samples(), data.features(), gram()), input.memory);
  const NeighbourGraph graph = neighbour_graph(data, own.graph, input.memory, scores.notes, ctx);
  const NodeTable table = whole_table(data);
  const NodeMatrix x(data, table);
  const auto clusters = start_clusters(data, own.clusters, own.starts, scores.notes, ctx);
  Solved solved = solve(data, x, graph, cluster_matrix(clusters, own.clusters, kSoftStart), ctx);
  const Vector norms = column_norms(solved.weights);
  scores.weight.assign(norms.begin(), norms.end());
  scores.objective = std::move(solved.objective);
  return scores;
}

void factor_or_throw(WeightedRegression& regression, const Vector& e, const Vector& c, Context& ctx) {
  if (regression.factor(e, c, ctx)) return;
  throw usage_error("the regression is not positive definite: values are too large for beta",
                    "expected scaled features, or a larger `beta`");
}

bool has_settled(const std::vector<double>& objective, double tolerance) {
  if (objective.size() < 2) return false;
  const double last = objective.back();
  return std::abs(objective[objective.size() - 2] - last) <= tolerance * std::abs(last);
}

}  // namespace clade
