#include "classify/nodes/ridge_explain.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "classify/node_scores.h"
#include "classify/nodes/kernel_arrays.h"
#include "classify/nodes/node_decisions.h"
#include "classify/nodes/node_model.h"
#include "classify/nodes/path_labels.h"

namespace clade {
namespace {

// By column: how it counts in the comparison of a label with its rival.
Vector compared_columns(const ModelBody& model, const Matrix& sums, Step& step) {
  const NodeModel& nodes = *model.node_model;
  Vector weights = Vector::Zero(nodes.columns());
  const Index own = nodes.column_of(step.child);
  if (model.is_multilabel) {
    if (own >= 0) weights(own) = 1;
    return weights;
  }
  const PathLabels paths(*model.taxonomy, nodes.labels, nodes.nodes);
  std::vector<double> row(static_cast<std::size_t>(sums.cols()));
  for (Index c = 0; c < sums.cols(); ++c) row[static_cast<std::size_t>(c)] = sums(0, c);
  std::vector<double> quality(nodes.labels.size());
  paths.judge(row, nodes.path_threshold, quality);
  const auto is_inside = [&](NodeId one) { return one == step.child || model.taxonomy->is_ancestor(step.child, one); };
  std::ptrdiff_t best = -1;
  std::ptrdiff_t rival = -1;
  for (std::size_t y = 0; y < quality.size(); ++y) {
    std::ptrdiff_t& place = is_inside(nodes.labels[y]) ? best : rival;
    if (place < 0 || quality[y] > quality[static_cast<std::size_t>(place)]) place = static_cast<std::ptrdiff_t>(y);
  }
  if (best < 0 || rival < 0) return weights;
  step.rival = nodes.labels[static_cast<std::size_t>(rival)];
  step.margin = quality[static_cast<std::size_t>(best)] - quality[static_cast<std::size_t>(rival)];
  for (const std::int32_t c : paths.path(static_cast<std::size_t>(best))) weights(c) += 1;
  for (const std::int32_t c : paths.path(static_cast<std::size_t>(rival))) weights(c) -= 1;
  return weights;
}

}  // namespace

std::vector<Step> explain_ridge(const ModelBody& model, const Dataset& data, Index sample, NodeId label,
                                Index reasons) {
  const NodeModel& nodes = *model.node_model;
  Context ctx({.threads = 1});
  const Dataset one = data.subset({sample});
  Step step{.node = model.taxonomy->root(), .child = label};
  step.probability = node_scores(model, one, Consistency::kDescendants, ctx).of(0)[static_cast<std::size_t>(label)];
  Matrix sums = node_sums(model, one, 0, 1, ctx);
  make_columns_consistent(*model.taxonomy, nodes.nodes, sums, ctx);
  const Vector columns = compared_columns(model, sums, step);
  if (!nodes.ridge) return {step};
  const RidgeExpansion& ridge = *nodes.ridge;
  const std::vector<Index> first{0};
  const KernelSamples query(
      kernel_arrays(with_means(model, one, ctx), first, ridge.features, ridge.scale, model.has_unit_rows, ctx),
      ridge.kernel, ctx);
  std::vector<double> similarity(static_cast<std::size_t>(ridge.support.size()));
  query.row(ridge.kernel, ridge.support, 0, similarity);
  const Vector weights = ridge.coefficient * columns;
  std::vector<std::pair<double, Index>> all;  // negative contributions, so that the largest come first
  for (Index j = 0; j < ridge.support.size(); ++j) {
    all.emplace_back(-weights(j) * similarity[static_cast<std::size_t>(j)], j);
  }
  std::ranges::sort(all);
  if (std::ssize(all) > reasons) all.resize(static_cast<std::size_t>(reasons));
  for (const auto& [negative, j] : all) {
    const auto labels = ridge.labels.of(j);
    step.examples.push_back({.name = ridge.names[static_cast<std::size_t>(j)],
                             .labels = {labels.begin(), labels.end()},
                             .similarity = similarity[static_cast<std::size_t>(j)],
                             .contribution = -negative});
  }
  return {step};
}

std::vector<TellingFeatures> telling_of_ridge(const ModelBody& model, NodeId node, Index top) {
  const NodeModel& nodes = *model.node_model;
  const Index column = nodes.column_of(node);
  if (column < 0 || !nodes.ridge) {
    throw usage_error(fmt::format("the model has nothing that speaks for '{}'", model.taxonomy->name(node)),
                      "expected a class with training samples, of a classifier that looks at features");
  }
  const RidgeExpansion& ridge = *nodes.ridge;
  std::vector<std::pair<double, Index>> all;
  for (Index j = 0; j < ridge.support.size(); ++j) all.emplace_back(-ridge.coefficient(j, column), j);
  std::ranges::sort(all);
  const auto example = [&](const std::pair<double, Index>& one) {
    const auto labels = ridge.labels.of(one.second);
    return TellingFeatures::Example{
        ridge.names[static_cast<std::size_t>(one.second)], {labels.begin(), labels.end()}, -one.first};
  };
  TellingFeatures result;
  result.node = model.taxonomy->root();
  for (auto one = all.begin(); one != all.end() && one->first < 0 && std::ssize(result.examples) < top; ++one) {
    result.examples.push_back(example(*one));
  }
  for (auto one = all.rbegin(); one != all.rend() && one->first > 0 && std::ssize(result.counter_examples) < top;
       ++one) {
    result.counter_examples.push_back(example(*one));
  }
  return {result};
}

}  // namespace clade
