#include <clade/paired.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "classify/apply.h"
#include "classify/predict.h"
#include "io/labels/labels.h"

namespace clade {
namespace {

// The predicted label sets, over the model's hierarchy.
LabelSets predicted_sets(const ModelBody& model, const Dataset& data, Context& ctx) {
  const Predictions predictions =
      predict(model, with_model_features(data, model, false, ctx, false), PredictOptions(), ctx);
  LabelSets sets;
  for (Index s = 0; s < predictions.samples(); ++s) {
    const auto labels = predictions.labels_of(s);
    std::vector<NodeId> set(labels.begin(), labels.end());
    std::ranges::sort(set);
    keep_most_specific(set, *model.taxonomy);
    sets.nodes.insert(sets.nodes.end(), set.begin(), set.end());
    sets.offsets.push_back(std::ssize(sets.nodes));
  }
  return sets;
}

// The labels with all their ancestors, found by name in `to`; ascending, without the root.
std::vector<NodeId> closure(const Taxonomy& to, const Taxonomy& from, std::span<const NodeId> labels) {
  std::vector<NodeId> nodes;
  for (const NodeId label : labels) {
    const NodeId own = *to.find(from.name(label));
    nodes.push_back(own);
    for (const NodeId above : to.ancestors(own)) nodes.push_back(above);
  }
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  std::erase(nodes, to.root());
  return nodes;
}

NodeOverlap overlap(const std::vector<NodeId>& truth, const std::vector<NodeId>& predicted) {
  std::vector<NodeId> common;
  std::ranges::set_intersection(truth, predicted, std::back_inserter(common));
  return {std::ssize(truth), std::ssize(predicted), std::ssize(common)};
}

void require_same_samples(const Dataset& a, const Dataset& b) {
  if (a.samples() != b.samples()) {
    throw usage_error(fmt::format("the models read {} and {} samples from the data", a.samples(), b.samples()),
                      "expected the same ones");
  }
  for (Index s = 0; s < a.samples(); ++s) {
    if (a.sample_name(s) != b.sample_name(s)) {
      throw usage_error(
          fmt::format("sample {} is {} for one model and {} for the other", s + 1, a.sample_name(s), b.sample_name(s)),
          "expected the same ones");
    }
  }
}

// Counts, per node, what each model finds.
class NodeTally {
 public:
  explicit NodeTally(const Taxonomy& taxonomy) : counts_(static_cast<std::size_t>(taxonomy.size())) {}

  void add(const std::vector<NodeId>& truth, const std::vector<NodeId>& a, const std::vector<NodeId>& b) {
    for (const NodeId node : truth) ++at(node).support;
    const auto is_in = [](const std::vector<NodeId>& set, NodeId node) {
      return std::ranges::binary_search(set, node);
    };
    for (const NodeId node : a) {
      Counts& counts = at(node);
      const bool is_true = is_in(truth, node);
      ++counts.predicted_a;
      counts.correct_a += is_true ? 1 : 0;
      if (!is_in(b, node)) ++(is_true ? counts.only_a : counts.only_b);
    }
    for (const NodeId node : b) {
      Counts& counts = at(node);
      const bool is_true = is_in(truth, node);
      ++counts.predicted_b;
      counts.correct_b += is_true ? 1 : 0;
      if (!is_in(a, node)) ++(is_true ? counts.only_b : counts.only_a);
    }
  }

  std::vector<NodeDifference> largest(const Taxonomy& taxonomy, Index count) const {
    std::vector<std::pair<Index, NodeId>> order;  // how much they differ, largest first
    for (NodeId node = 1; node < taxonomy.size(); ++node) {
      const Counts& c = counts_[static_cast<std::size_t>(node)];
      if (c.only_a + c.only_b > 0) order.emplace_back(-std::abs(c.only_a - c.only_b), node);
    }
    std::ranges::sort(order);
    if (std::ssize(order) > count) order.resize(static_cast<std::size_t>(count));
    std::vector<NodeDifference> differences;
    for (const auto& [_, node] : order) {
      const Counts& c = counts_[static_cast<std::size_t>(node)];
      differences.push_back({taxonomy.name(node), c.support, f1(c.correct_a, c.support + c.predicted_a),
                             f1(c.correct_b, c.support + c.predicted_b), c.only_a, c.only_b});
    }
    return differences;
  }

 private:
  struct Counts {
    Index support = 0;
    Index predicted_a = 0;
    Index predicted_b = 0;
    Index correct_a = 0;
    Index correct_b = 0;
    Index only_a = 0;
    Index only_b = 0;
  };

  static double f1(Index correct, Index both) {
    return both > 0 ? 2 * static_cast<double>(correct) / static_cast<double>(both) : 0;
  }
  Counts& at(NodeId node) { return counts_[static_cast<std::size_t>(node)]; }

  std::vector<Counts> counts_;
};

}  // namespace

void describe(ParameterTable& v, PairedOptions& o) {
  v("permutations", o.permutations, between(100, 10'000'000),
    "number of random exchanges when two models are compared");
  v("nodes", o.nodes, nonnegative(), "number of nodes to list when two models are compared");
}

PairedComparison compare_models(const Model& a, const Dataset& data_a, const Model& b, const Dataset& data_b,
                                const PairedOptions& options, Context& ctx) {
  require_same_samples(data_a, data_b);
  const LabelSets sets_a = predicted_sets(a.body(), data_a, ctx);
  const LabelSets sets_b = predicted_sets(b.body(), data_b, ctx);
  const Dataset truth = with_model_labels(data_a, a.body(), ctx).data;
  std::vector<NodeId> added;
  const Taxonomy taxonomy = with_nodes_of(truth.taxonomy(), data_b.relabelled(b.taxonomy(), sets_b), added);

  PairedComparison result;
  NodeTally tally(taxonomy);
  std::vector<NodeOverlap> overlaps_a;
  std::vector<NodeOverlap> overlaps_b;
  Index only_a = 0;
  Index only_b = 0;
  for (Index s = 0; s < truth.samples(); ++s) {
    if (truth.labels(s).empty()) continue;
    const std::vector<NodeId> nodes = closure(taxonomy, truth.taxonomy(), truth.labels(s));
    const std::vector<NodeId> nodes_a = closure(taxonomy, a.taxonomy(), sets_a.of(s));
    const std::vector<NodeId> nodes_b = closure(taxonomy, b.taxonomy(), sets_b.of(s));
    overlaps_a.push_back(overlap(nodes, nodes_a));
    overlaps_b.push_back(overlap(nodes, nodes_b));
    only_a += nodes_a == nodes && nodes_b != nodes ? 1 : 0;
    only_b += nodes_b == nodes && nodes_a != nodes ? 1 : 0;
    result.differing += nodes_a != nodes_b ? 1 : 0;
    tally.add(nodes, nodes_a, nodes_b);
  }
  result.samples = std::ssize(overlaps_a);
  if (result.samples == 0) {
    throw usage_error("the data has no labelled sample", "expected labels to compare the predictions with");
  }
  if (result.samples < truth.samples()) {
    result.notes.push_back(fmt::format("samples without a label, left out: {}", truth.samples() - result.samples));
  }
  result.accuracy = accuracy_exchange_test(overlaps_a, overlaps_b, options.permutations, ctx);
  result.hierarchical_f1 = f1_exchange_test(overlaps_a, overlaps_b, options.permutations, ctx);
  result.mcnemar = mcnemar_test(only_a, only_b);
  result.nodes = tally.largest(taxonomy, options.nodes);
  return result;
}

}  // namespace clade
