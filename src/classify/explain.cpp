#include "classify/explain.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "classify/class_probabilities.h"
#include "classify/kernel_expansion.h"
#include "classify/label_tree.h"
#include "classify/linear_scores.h"
#include "classify/model_kinds.h"
#include "classify/node_decision.h"
#include "classify/nodes/forest_explain.h"
#include "classify/nodes/node_model.h"
#include "classify/nodes/ridge_explain.h"
#include "classify/output_scorer.h"

namespace clade {
namespace {

// The scores of the children of a node, for one sample.
struct Judgement {
  std::vector<double> scores;
  std::vector<double> probabilities;
};

class Judge {
 public:
  Judge(const ModelBody& model, const Dataset& data, Index sample)
      : model_(model), data_(data), sample_(sample), scorer_(model), search_(model) {}

  // A label tree may not reach all children; `wanted`, a position among them, it does.
  Judgement of(const NodeClassifier& node, std::int32_t wanted = -1) {
    Judgement judgement{std::vector<double>(node.children.size(), 0), std::vector<double>(node.children.size(), 1)};
    if (node.children.size() == 1) return judgement;
    if (node.tree) {
      search_.judge(node, data_, sample_, judgement.scores, judgement.probabilities, wanted);
      return judgement;
    }
    std::vector<double> outputs(static_cast<std::size_t>(node.linear.count));
    scorer_.use(node.linear, 1);
    scorer_.score(data_, sample_, outputs);
    child_scores(node, outputs, judgement.scores);
    child_probabilities(node, judgement.scores, model_.is_multilabel, judgement.probabilities);
    return judgement;
  }

 private:
  const ModelBody& model_;
  const Dataset& data_;
  Index sample_;
  OutputScorer scorer_;
  LabelTreeSearch search_;
};

// The nodes from the root to the label along the most probable path; a label at an inner node means its miscellaneous
// leaf.
std::vector<NodeId> path_to(const ModelBody& model, NodeId label, Judge& judge) {
  const Taxonomy& taxonomy = *model.taxonomy;
  const NodeId leaf = taxonomy.miscellaneous_leaf(label);
  const NodeId end = leaf == kNoNode ? label : leaf;
  std::vector<NodeId> nodes = taxonomy.ancestors(end);
  if (taxonomy.is_tree()) {
    std::reverse(nodes.begin(), nodes.end());
    nodes.push_back(end);
    return nodes;
  }
  struct Reached {
    double log_probability = -std::numeric_limits<double>::infinity();
    NodeId parent = kNoNode;
  };
  std::map<NodeId, Reached> reached;
  for (const NodeId node : nodes) reached[node] = {};
  reached[end] = {};
  reached[0].log_probability = 0;
  for (const auto& [node, from] : reached) {  // ids are topological, so parents come first
    const NodeClassifier* classifier = model.at(node);
    if (classifier == nullptr) continue;
    const Judgement judgement = judge.of(*classifier);
    for (std::size_t c = 0; c < classifier->children.size(); ++c) {
      const auto child = reached.find(classifier->children[c]);
      const double log_probability = from.log_probability + std::log(judgement.probabilities[c]);
      if (child == reached.end()) continue;
      if (child->second.parent != kNoNode && log_probability <= child->second.log_probability) continue;
      child->second = {log_probability, node};
    }
  }
  std::vector<NodeId> path{end};
  while (reached[path.back()].parent != kNoNode) path.push_back(reached[path.back()].parent);
  std::reverse(path.begin(), path.end());
  return path;
}

void keep_best_reasons(const ModelBody& model, double square, Index count, Step& step) {
  if (model.has_unit_rows && square > 0) {
    for (Step::Reason& reason : step.reasons) reason.contribution /= std::sqrt(square);
  }
  std::sort(step.reasons.begin(), step.reasons.end(), [](const Step::Reason& a, const Step::Reason& b) {
    return a.contribution != b.contribution ? a.contribution > b.contribution : a.feature < b.feature;
  });
  if (std::ssize(step.reasons) > count) step.reasons.resize(static_cast<std::size_t>(count));
}

// The features that speak most for one child of a label tree against another, by the last group on the way to each.
void add_reasons(const LabelTree& tree, std::int32_t chosen, std::int32_t rival, const ModelBody& model,
                 const Dataset& data, Index sample, Index count, Step& step) {
  std::map<FeatureIndex, double> weights;
  for (const auto& [feature, weight] : last_weights(tree, chosen)) weights[feature] += weight;
  for (const auto& [feature, weight] : last_weights(tree, rival)) weights[feature] -= weight;
  double square = 0;
  data.for_each_value(sample, [&](FeatureIndex f, auto value) {
    const auto x = static_cast<double>(value);
    square += x * x;
    const auto at = weights.find(f);
    if (value == 0 || at == weights.end() || at->second == 0) return;
    step.reasons.push_back({f, x, at->second * x});
  });
  keep_best_reasons(model, square, count, step);
}

// The features that contribute most to a weighted sum of outputs.
void add_reasons(const LinearOutputs& linear, std::span<const double> of_outputs, const ModelBody& model,
                 const Dataset& data, Index sample, Index count, Step& step) {
  double square = 0;
  data.for_each_value(sample, [&](FeatureIndex f, auto value) {
    square += static_cast<double>(value) * static_cast<double>(value);
    const auto at = std::lower_bound(linear.features.begin(), linear.features.end(), f);
    if (value == 0 || at == linear.features.end() || *at != f) return;
    const double weight = feature_weight(linear, static_cast<std::size_t>(at - linear.features.begin()), of_outputs);
    if (weight != 0) step.reasons.push_back({f, static_cast<double>(value), weight * static_cast<double>(value)});
  });
  keep_best_reasons(model, square, count, step);
}

// The training samples that contribute most to a weighted sum of the outputs of a model with a kernel.
void add_examples(const KernelExpansion& kernel, const std::vector<double>& similarity,
                  std::span<const double> of_outputs, Index count, Step& step) {
  struct Weighted {
    Index sample;
    double contribution;
  };
  std::vector<Weighted> all;
  for (Index j = 0; j < kernel.support.size(); ++j) {
    const double weight = kernel.weight(j, of_outputs);
    const double contribution = weight * similarity[static_cast<std::size_t>(j)];
    if (contribution != 0) all.push_back({j, contribution});
  }
  std::ranges::sort(all, {}, [](const Weighted& one) { return std::pair(-one.contribution, one.sample); });
  if (std::ssize(all) > count) all.resize(static_cast<std::size_t>(count));
  for (const auto& [j, contribution] : all) {
    const auto labels = kernel.labels_of(j);
    step.examples.push_back({.name = kernel.name_of(j),
                             .labels = {labels.begin(), labels.end()},
                             .similarity = similarity[static_cast<std::size_t>(j)],
                             .contribution = contribution});
  }
}

// The outputs of a path or joint model for one sample, and its similarity to the training samples if there is a kernel.
struct Outputs {
  std::vector<double> values;
  std::vector<double> similarity;
};
Outputs outputs_of(const ModelBody& model, const Dataset& data, Index sample) {
  Outputs result;
  if (model.kernel) {
    Context ctx({.threads = 1});
    const std::vector<Index> row{sample};
    const KernelSamples query(data, row, model.kernel->options, model.has_unit_rows, ctx);
    result.values.resize(static_cast<std::size_t>(model.attributes.count));
    model.kernel->outputs(query, 0, result.similarity, result.values);
    return result;
  }
  const LinearOutputs& linear = model.nodes[0].linear;
  result.values.resize(static_cast<std::size_t>(linear.count));
  OutputScorer scorer(model);
  scorer.use(linear, 1);
  scorer.score(data, sample, result.values);
  return result;
}

// The probability of a class at or below which the label stands; NaN: scores are not probabilities.
double probability_of(const ModelBody& model, std::span<const double> outputs, NodeId node) {
  if (!model.has_probabilities) return std::numeric_limits<double>::quiet_NaN();
  const std::vector<NodeId> classes = scored_classes(model);
  std::vector<double> scores;
  for (const NodeId one : classes) {
    const std::vector<double> weights = output_weights(model, one, outputs);
    scores.push_back(std::inner_product(weights.begin(), weights.end(), outputs.begin(), 0.0));
  }
  std::vector<double> probabilities(scores.size());
  class_probabilities(model, scores, probabilities);
  double sum = 0;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (classes[c] == node || model.taxonomy->is_ancestor(node, classes[c])) sum += probabilities[c];
  }
  return std::min(sum, 1.0);
}

// All classes are compared at once: the label with the best of the others.
std::vector<Step> explain_at_once(const ModelBody& model, const Dataset& data, Index sample, NodeId label,
                                  Index reasons) {
  const Taxonomy& taxonomy = *model.taxonomy;
  const Outputs found = outputs_of(model, data, sample);
  const std::vector<double>& outputs = found.values;
  const std::vector<NodeId> classes = scored_classes(model);
  const auto score = [&](const std::vector<double>& weights) {
    return std::inner_product(weights.begin(), weights.end(), outputs.begin(), 0.0);
  };
  const auto is_at = [&](NodeId one, NodeId node) { return one == node || taxonomy.is_ancestor(node, one); };
  // A label at an inner node means its miscellaneous leaf or, where the answer stopped there, the best class below.
  const NodeId leaf = taxonomy.miscellaneous_leaf(label);
  const NodeId asked = leaf == kNoNode ? label : leaf;
  Step step{.node = taxonomy.root(), .child = asked, .probability = probability_of(model, outputs, asked)};
  std::vector<double> difference;
  std::vector<double> of_rival;
  for (const NodeId one : classes) {
    std::vector<double> weights = output_weights(model, one, outputs);
    const bool is_inside = is_at(one, asked);
    std::vector<double>& best = is_inside ? difference : of_rival;
    if (!best.empty() && score(weights) <= score(best)) continue;
    if (!is_inside) step.rival = one;
    best = std::move(weights);
  }
  if (step.rival == kNoNode || difference.empty()) return {step};
  step.margin = score(difference) - score(of_rival);
  for (std::size_t o = 0; o < difference.size(); ++o) difference[o] -= of_rival[o];
  if (model.kernel) {
    add_examples(*model.kernel, found.similarity, difference, reasons, step);
  } else {
    add_reasons(model.nodes[0].linear, difference, model, data, sample, reasons, step);
  }
  step.rival = taxonomy.fold(step.rival);
  return {step};
}

}  // namespace

std::vector<Step> explain(const ModelBody& model, const Dataset& data, Index sample, NodeId label, Index reasons) {
  const bool is_forest = model.node_model && model.node_model->forest && !model.node_model->ridge;
  if (is_forest) return explain_forest(model, data, sample, label, reasons);
  if (model.node_model) return explain_ridge(model, data, sample, label, reasons);
  std::vector<Step> steps;
  if (label == model.taxonomy->root() && model.taxonomy->miscellaneous_leaf(label) == kNoNode) return steps;
  if (!info_of(model.kind).decides_at_nodes) return explain_at_once(model, data, sample, label, reasons);
  Judge judge(model, data, sample);
  const std::vector<NodeId> path = path_to(model, label, judge);
  for (std::size_t k = 0; k + 1 < path.size(); ++k) {
    const NodeClassifier* node = model.at(path[k]);
    if (node == nullptr) break;
    const auto child = std::find(node->children.begin(), node->children.end(), path[k + 1]);
    if (child == node->children.end()) break;
    const auto chosen = static_cast<std::size_t>(child - node->children.begin());
    Step& step = steps.emplace_back();
    step.node = path[k];
    step.child = path[k + 1];
    if (node->children.size() == 1) continue;
    const auto [scores, probabilities] = judge.of(*node, static_cast<std::int32_t>(chosen));
    std::vector<double> others = scores;
    others[chosen] = -std::numeric_limits<double>::infinity();
    const std::size_t rival = best_of(others);
    step.rival = node->children[rival];
    step.probability = probabilities[chosen];
    step.margin = scores[chosen] - scores[rival];
    if (node->decision != Decision::kScores) continue;
    if (node->tree) {
      add_reasons(*node->tree, static_cast<std::int32_t>(chosen), static_cast<std::int32_t>(rival), model, data, sample,
                  reasons, step);
      continue;
    }
    std::vector<double> difference(scores.size(), 0);
    difference[chosen] = 1;
    difference[rival] = -1;
    add_reasons(node->linear, difference, model, data, sample, reasons, step);
  }
  return steps;
}

}  // namespace clade
