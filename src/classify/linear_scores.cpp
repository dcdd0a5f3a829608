#include "classify/linear_scores.h"

#include <algorithm>

#include "classify/path_scores.h"
#include "core/check.h"

namespace clade {
namespace {

// The place of a node among those with an output.
std::size_t output_of(const std::vector<NodeId>& nodes, NodeId node) {
  const auto at = std::ranges::lower_bound(nodes, node);
  CLADE_CHECK(at != nodes.end() && *at == node);
  return static_cast<std::size_t>(at - nodes.begin());
}

std::vector<double> path_weights(const ModelBody& model, NodeId leaf, std::span<const double> outputs) {
  const std::vector<NodeId>& nodes = model.nodes[0].children;
  const Taxonomy& taxonomy = *model.taxonomy;
  const std::vector<double> none(nodes.size(), 0);
  PathSums paths(taxonomy, nodes, model.level_weights);
  const std::vector<double>& sums = paths.sums(outputs.empty() ? std::span<const double>(none) : outputs);
  std::vector<double> weights(nodes.size(), 0);
  for (NodeId node = leaf; node != taxonomy.root();) {
    weights[output_of(nodes, node)] = model.level_weights[static_cast<std::size_t>(taxonomy.depth(node)) - 1];
    node = *std::ranges::max_element(taxonomy.parents(node), {},
                                     [&](NodeId parent) { return sums[static_cast<std::size_t>(parent)]; });
  }
  return weights;
}

}  // namespace

std::vector<NodeId> scored_classes(const ModelBody& model) {
  std::vector<NodeId> classes = model.nodes[0].children;
  if (model.kind == ModelKind::kPaths) {
    std::erase_if(classes, [&](NodeId node) { return !model.taxonomy->is_leaf(node); });
  }
  return classes;
}

std::vector<double> output_weights(const ModelBody& model, NodeId of_class, std::span<const double> outputs) {
  if (model.kind == ModelKind::kPaths) return path_weights(model, of_class, outputs);
  const std::vector<NodeId>& classes = model.nodes[0].children;
  const Index y = std::ranges::find(classes, of_class) - classes.begin();
  CLADE_CHECK(y < std::ssize(classes));
  std::vector<double> weights(static_cast<std::size_t>(model.attributes.count), 0);
  const auto index = model.attributes.index_of(y);
  for (std::size_t k = 0; k < index.size(); ++k) {
    weights[static_cast<std::size_t>(index[k])] = model.attributes.value_of(y)[k];
  }
  return weights;
}

double feature_weight(const LinearOutputs& linear, std::size_t place, std::span<const double> of_outputs) {
  double sum = 0;
  std::visit(
      [&](const auto& outputs, const auto& weights) {
        for (auto e = static_cast<std::size_t>(linear.offsets[place]);
             e < static_cast<std::size_t>(linear.offsets[place + 1]); ++e) {
          sum += of_outputs[outputs[e]] * static_cast<double>(weights[e]);
        }
      },
      linear.outputs, linear.weights);
  return sum;
}

}  // namespace clade
