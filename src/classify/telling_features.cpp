#include <clade/error.h>
#include <clade/explain.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "classify/kernel_expansion.h"
#include "classify/label_tree.h"
#include "classify/linear_scores.h"
#include "classify/model_body.h"
#include "classify/nodes/forest_explain.h"
#include "classify/nodes/node_model.h"
#include "classify/nodes/ridge_explain.h"

namespace clade {
namespace {

// Those with the largest and with the smallest weights.
TellingFeatures ranked(NodeId node, std::vector<TellingFeatures::Weighted> all, Index top) {
  std::ranges::sort(all, {}, [](const auto& one) { return std::pair(-one.weight, one.feature); });
  TellingFeatures result;
  result.node = node;
  for (auto one = all.begin(); one != all.end() && one->weight > 0 && std::ssize(result.in_favour) < top; ++one) {
    result.in_favour.push_back(*one);
  }
  for (auto one = all.rbegin(); one != all.rend() && one->weight < 0 && std::ssize(result.against) < top; ++one) {
    result.against.push_back(*one);
  }
  return result;
}

// The features with the largest and with the smallest weights in a weighted sum of outputs.
TellingFeatures ranked(NodeId node, const LinearOutputs& linear, std::span<const double> of_outputs, Index top) {
  std::vector<TellingFeatures::Weighted> all;
  for (std::size_t place = 0; place < linear.features.size(); ++place) {
    const double weight = feature_weight(linear, place, of_outputs);
    if (weight != 0) all.push_back({linear.features[place], weight});
  }
  return ranked(node, std::move(all), top);
}

// The training samples with the largest and with the smallest weights in a weighted sum of outputs.
TellingFeatures ranked_examples(NodeId node, const KernelExpansion& kernel, std::span<const double> of_outputs,
                                Index top) {
  std::vector<std::pair<double, Index>> all;  // negative weights, so that the largest come first
  for (Index j = 0; j < kernel.support.size(); ++j) {
    const double weight = kernel.weight(j, of_outputs);
    if (weight != 0) all.emplace_back(-weight, j);
  }
  std::ranges::sort(all);
  const auto example = [&](const std::pair<double, Index>& one) {
    const auto labels = kernel.labels_of(one.second);
    return TellingFeatures::Example{kernel.name_of(one.second), {labels.begin(), labels.end()}, -one.first};
  };
  TellingFeatures result;
  result.node = node;
  for (auto one = all.begin(); one != all.end() && one->first < 0 && std::ssize(result.examples) < top; ++one) {
    result.examples.push_back(example(*one));
  }
  for (auto one = all.rbegin(); one != all.rend() && one->first > 0 && std::ssize(result.counter_examples) < top;
       ++one) {
    result.counter_examples.push_back(example(*one));
  }
  return result;
}

Error cannot_predict(const Taxonomy& taxonomy, NodeId node) {
  return usage_error(fmt::format("the model never chooses '{}' against another class", taxonomy.name(node)),
                     "expected a class with training samples and rivals");
}

std::vector<TellingFeatures> at_nodes(const ModelBody& model, NodeId node, Index top) {
  std::vector<TellingFeatures> result;
  for (const NodeId parent : model.taxonomy->parents(node)) {
    const NodeClassifier* classifier = model.at(parent);
    if (classifier == nullptr || classifier->children.size() < 2) continue;
    const auto child = std::ranges::find(classifier->children, node);
    if (child == classifier->children.end()) continue;
    if (classifier->decision == Decision::kVotes) {
      throw usage_error("the model decides by votes of pairs of children", "expected one with weights for each child");
    }
    if (classifier->tree) {
      std::vector<TellingFeatures::Weighted> all;
      const auto place = static_cast<std::int32_t>(child - classifier->children.begin());
      for (const auto& [feature, weight] : last_weights(*classifier->tree, place)) all.push_back({feature, weight});
      result.push_back(ranked(parent, std::move(all), top));
      continue;
    }
    const auto rivals = static_cast<double>(classifier->children.size() - 1);
    std::vector<double> of_outputs(classifier->children.size(), -1 / rivals);
    of_outputs[static_cast<std::size_t>(child - classifier->children.begin())] = 1;
    result.push_back(ranked(parent, classifier->linear, of_outputs, top));
  }
  return result;
}

// The classes at or below the node against all others.
std::vector<TellingFeatures> among_all(const ModelBody& model, NodeId node, Index top) {
  std::vector<double> inside;
  std::vector<double> outside;
  double inside_count = 0;
  double outside_count = 0;
  for (const NodeId one : scored_classes(model)) {
    const bool is_inside = one == node || model.taxonomy->is_ancestor(node, one);
    (is_inside ? inside_count : outside_count) += 1;
    std::vector<double>& sum = is_inside ? inside : outside;
    const std::vector<double> weights = output_weights(model, one);
    sum.resize(weights.size(), 0);
    for (std::size_t o = 0; o < weights.size(); ++o) sum[o] += weights[o];
  }
  if (inside_count == 0 || outside_count == 0) return {};
  for (std::size_t o = 0; o < inside.size(); ++o) inside[o] = inside[o] / inside_count - outside[o] / outside_count;
  if (model.kernel) return {ranked_examples(model.taxonomy->root(), *model.kernel, inside, top)};
  return {ranked(model.taxonomy->root(), model.nodes[0].linear, inside, top)};
}

}  // namespace

std::vector<TellingFeatures> telling_features(const Model& handle, NodeId node, Index top) {
  const ModelBody& model = handle.body();
  const bool is_forest = model.node_model && model.node_model->forest && !model.node_model->ridge;
  if (is_forest) return telling_of_forest(model, node, top);
  if (model.node_model) return telling_of_ridge(model, node, top);
  std::vector<TellingFeatures> result =
      model.kind == ModelKind::kTopDown ? at_nodes(model, node, top) : among_all(model, node, top);
  if (result.empty()) throw cannot_predict(*model.taxonomy, node);
  return result;
}

}  // namespace clade
