#include "model/model_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "classify/conformal.h"
#include "classify/decide/label_decisions.h"
#include "classify/kernel_expansion.h"
#include "classify/label_tree.h"
#include "classify/node_scores.h"
#include "classify/nodes/node_model.h"

namespace clade {
namespace {

// No branch in the loop, so that it runs at the speed of memory.
bool never_falls(std::span<const std::uint32_t> values) {
  bool falls = false;
  for (std::size_t k = 1; k < values.size(); ++k) falls |= values[k] < values[k - 1];
  return !falls;
}

bool always_rises(std::span<const FeatureIndex> values) {
  bool stays = false;
  for (std::size_t k = 1; k < values.size(); ++k) stays |= values[k] <= values[k - 1];
  return !stays;
}

template <class T>
T largest(std::span<const T> values) {
  T result = 0;
  for (const T value : values) result = std::max(result, value);
  return result;
}

bool all_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

// The same without a branch in the loop.
template <class T>
bool are_weights(std::span<const T> values) {
  bool is_odd = false;
  for (const T value : values) is_odd |= !(std::abs(value) <= std::numeric_limits<T>::max());
  return !is_odd;
}

class ModelCheck {
 public:
  ModelCheck(const ModelBody& model, const Where& where) : model_(model), where_(where) {}

  void run() {
    require(model_.taxonomy.has_value(), "no hierarchy", "expected one");
    require(model_.features >= 0 && model_.features <= kMaxFeatures, "a bad number of features",
            "expected at most 2147483647");
    require(model_.feature_names.empty() || std::ssize(model_.feature_names) == model_.features,
            "the names do not fit the features", "expected one per feature");
    require(model_.samples >= 0 && std::isfinite(model_.seconds) && model_.seconds >= 0, "bad numbers about training",
            "expected counts and seconds");
    check_vectorizer();
    check_replacement();
    check_levels();
    check_attributes();
    check_node_model();
    check_conformal();
    require(model_.doubt >= 0 && model_.doubt <= 1, "a bad share of doubt", "expected a number from 0 to 1");
    if (model_.sigmoid) check_calibration(model_.taxonomy->root(), *model_.sigmoid);
    NodeId last = kNoNode;
    for (const NodeClassifier& node : model_.nodes) {
      require(node.node > last && node.node < model_.taxonomy->size(), "the nodes are out of order",
              "expected ids of the hierarchy, ascending");
      last = node.node;
      check_node(node);
    }
  }

 private:
  void require(bool condition, std::string_view problem, std::string_view expected) const {
    if (!condition) throw input_error(where_, fmt::format("inconsistent model: {}", problem), expected);
  }
  void require_at(NodeId node, bool condition, std::string_view problem, std::string_view expected) const {
    if (condition) return;
    throw input_error(where_, fmt::format("inconsistent model: node '{}': {}", model_.taxonomy->name(node), problem),
                      expected);
  }

  void check_replacement() const {
    if (!model_.replacement || model_.replacement->empty()) return;
    require(std::ssize(*model_.replacement) == model_.features, "the means do not fit the features",
            "expected one per feature");
    require(all_finite(*model_.replacement), "a mean that is not finite", "expected numbers");
  }

  void check_vectorizer() const {
    if (!model_.vectorizer) return;
    const TextVectorizer& v = *model_.vectorizer;
    require(v.options.sequences || v.features() == model_.features, "the words do not fit the features",
            "expected one per feature");
    require(!v.options.sequences || v.words.empty(), "words in a model of sequences", "expected none");
    require(v.document_frequency.size() == v.words.size(), "the document frequencies do not fit the words",
            "expected one per word");
    for (std::size_t k = 1; k < v.words.size(); ++k) {
      require(v.words[k - 1] < v.words[k], "the words are out of order", "expected byte order, each once");
    }
    for (const Index frequency : v.document_frequency) {
      require(frequency >= 1 && frequency <= v.documents, "a bad document frequency", "expected 1 to the documents");
    }
  }

  void check_levels() const {
    require(all_finite(model_.level_weights), "a level weight is not a number", "expected finite weights");
    if (model_.kind != ModelKind::kPaths) {
      require(model_.level_weights.empty(), "level weights in a model without paths", "expected none");
      return;
    }
    require(std::ssize(model_.level_weights) >= model_.taxonomy->longest_path(), "too few level weights",
            "expected one per level below the root");
    require(model_.nodes.size() <= 1 && (model_.nodes.empty() || model_.nodes[0].node == 0),
            "several nodes in a model of paths", "expected the root alone");
  }

  void check_attributes() const {
    const ClassAttributes& attributes = model_.attributes;
    if (model_.kind != ModelKind::kClasses) return;
    require(model_.nodes.size() == 1 && model_.nodes[0].node == 0, "a joint model with other nodes than the root",
            "expected the root alone");
    const auto classes = std::ssize(model_.nodes[0].children);
    require(classes > 0 && attributes.classes() == classes && attributes.offsets[0] == 0 &&
                std::ranges::is_sorted(attributes.offsets) &&
                attributes.offsets.back() == std::ssize(attributes.index) &&
                attributes.index.size() == attributes.value.size(),
            "the attributes do not fit the classes", "expected some for every class");
    const bool has_outputs =
        model_.kernel ? model_.nodes[0].linear.count == 0 : model_.nodes[0].linear.count == attributes.count;
    require(has_outputs && std::ssize(attributes.nodes) == attributes.count, "the attributes do not fit the outputs",
            "expected one output each");
    check_kernel();
    check_state();
    for (const NodeId node : attributes.nodes) {
      require(node >= kNoNode && node < model_.taxonomy->size(), "an attribute of a node that does not exist",
              "expected nodes of the hierarchy");
    }
    for (const std::int32_t index : attributes.index) {
      require(index >= 0 && index < attributes.count, "an attribute that does not exist", "expected one of the model");
    }
    require(all_finite(attributes.value) && all_finite(model_.threshold), "an attribute or threshold is not a number",
            "expected finite numbers");
    require(model_.threshold.empty() || std::ssize(model_.threshold) == classes + 1, "a bad threshold",
            "expected a number per class and one more");
  }

  void check_kernel() const {
    if (!model_.kernel) return;
    const KernelExpansion& kernel = *model_.kernel;
    require(std::ssize(kernel.offsets) == kernel.support.size() + 1 && kernel.offsets[0] == 0 &&
                std::ranges::is_sorted(kernel.offsets) && kernel.offsets.back() == std::ssize(kernel.attributes) &&
                kernel.attributes.size() == kernel.values.size() && all_finite(kernel.values),
            "the coefficients do not fit the support", "expected finite ones for every support sample");
    check_support(kernel);
    const bool is_precomputed = kernel.options.kind == KernelKind::kPrecomputed;
    require(is_precomputed ? kernel.support.width() == model_.features : kernel.support.width() <= model_.features,
            "the support does not fit the features", "expected columns of the data");
    for (const std::int32_t z : kernel.attributes) {
      require(z >= 0 && z < model_.attributes.count, "a coefficient of an attribute that does not exist",
              "expected attributes of the model");
    }
  }

  bool are_nodes(std::span<const NodeId> nodes, NodeId first) const {
    return std::ranges::is_sorted(nodes, std::ranges::less_equal{}) &&
           (nodes.empty() || (nodes.front() >= first && nodes.back() < model_.taxonomy->size()));
  }

  void check_map(const ScoreMap& map) const {
    require(map.at.size() == map.value.size() && all_finite(map.at) && all_finite(map.value) &&
                std::ranges::is_sorted(map.at, std::ranges::less_equal{}) &&
                std::ranges::is_sorted(map.value, std::ranges::less_equal{}) &&
                (map.value.empty() || (map.value.front() > 0 && map.value.back() < 1)),
            "a bad map to probabilities", "expected points that rise, within (0, 1)");
  }

  void check_decisions() const {
    if (!model_.decisions) return;
    const LabelDecisions& decisions = *model_.decisions;
    require(!model_.node_threshold.empty() && decisions.trust >= 0 && decisions.trust <= 1 &&
                std::ssize(decisions.frequency) == model_.taxonomy->size() && all_finite(decisions.frequency),
            "bad decisions on labels", "expected thresholds, a trust from 0 to 1, and a frequency per node");
    check_map(decisions.map);
  }

  void check_node_model() const {
    require(model_.node_threshold.empty() ||
                (std::ssize(model_.node_threshold) == model_.taxonomy->size() && all_finite(model_.node_threshold)),
            "bad thresholds of nodes", "expected a finite number per node");
    check_decisions();
    if (model_.kind != ModelKind::kNodes) return;
    require(model_.node_model != nullptr && model_.nodes.empty(), "other outputs than scores of nodes",
            "expected those alone");
    const NodeModel& nodes = *model_.node_model;
    require(are_nodes(nodes.nodes, 1) && nodes.mean.size() == nodes.nodes.size() && all_finite(nodes.mean),
            "bad nodes with scores", "expected nodes of the hierarchy, ascending, with a finite mean each");
    require(are_nodes(nodes.labels, 0), "bad labels of paths", "expected nodes of the hierarchy, ascending");
    require(model_.is_multilabel ? !model_.node_threshold.empty() : !nodes.labels.empty(), "no way to decide on labels",
            "expected thresholds, or labels of paths");
    require(nodes.forest_share >= 0 && nodes.forest_share <= 1, "a bad share of the forest", "expected 0 to 1");
    require(std::isfinite(nodes.path_threshold) && std::isfinite(nodes.temperature) && nodes.temperature > 0,
            "a bad temperature or threshold of paths", "expected finite numbers");
    require(nodes.doubt >= 0 && nodes.doubt <= 1, "a bad share of doubt", "expected a number from 0 to 1");
    check_map(nodes.map);
    if (nodes.forest) check_forest(*nodes.forest, nodes.columns());
    if (!nodes.ridge) return;
    const RidgeExpansion& ridge = *nodes.ridge;
    const auto features = static_cast<std::size_t>(model_.features);
    require(is_of_vectors(ridge.kernel.kind) && ridge.support.width() <= model_.features,
            "the support does not fit the features", "expected columns of the data");
    require(ridge.scale.mean.size() == ridge.scale.factor.size() &&
                (ridge.scale.is_none() || ridge.scale.mean.size() == features) && all_finite(ridge.scale.mean) &&
                all_finite(ridge.scale.factor),
            "bad scales of features", "expected a finite mean and factor per feature");
    require(always_rises(ridge.features) &&
                (ridge.features.empty() || (ridge.features.front() >= 0 && ridge.features.back() < model_.features)),
            "bad features of the kernel", "expected features of the model, ascending");
    require(ridge.coefficient.rows() == ridge.support.size() && ridge.coefficient.cols() == nodes.columns() &&
                ridge.coefficient.allFinite(),
            "the coefficients do not fit the support", "expected a finite one per support sample and node");
    const LabelSets& labels = ridge.labels;
    const bool fits = std::ssize(ridge.names) == ridge.support.size() && labels.samples() == ridge.support.size() &&
                      labels.offsets[0] == 0 && std::ranges::is_sorted(labels.offsets) &&
                      labels.offsets.back() == std::ssize(labels.nodes);
    require(fits, "the names and labels do not fit the support", "expected those of every support sample");
    for (const NodeId label : labels.nodes) {
      require(label >= 0 && label < model_.taxonomy->size(), "a label that does not exist",
              "expected nodes of the hierarchy");
    }
  }

  void check_support(const KernelExpansion& kernel) const {
    if (kernel.names.empty() && kernel.labels.empty()) return;
    const bool fits = std::ssize(kernel.names) == kernel.support.size() &&
                      kernel.label_offsets.size() == kernel.names.size() + 1 && kernel.label_offsets[0] == 0 &&
                      std::ranges::is_sorted(kernel.label_offsets) &&
                      kernel.label_offsets.back() == std::ssize(kernel.labels);
    require(fits, "the names and labels do not fit the support", "expected those of every support sample");
    for (const NodeId label : kernel.labels) {
      require(label >= 0 && label < model_.taxonomy->size(), "a label that does not exist",
              "expected nodes of the hierarchy");
    }
  }

  void check_conformal() const {
    if (!model_.conformal) return;
    const ConformalScores& scores = *model_.conformal;
    const auto is_share = [](float score) { return score >= 0 && score <= 1; };
    const auto are_shares = [&](std::span<const float> values) { return std::ranges::all_of(values, is_share); };
    const Index own_shares = scores.has_several_labels ? scored_nodes(*model_.taxonomy) : 0;
    require(std::ssize(scores.own_share) == own_shares && are_shares(scores.own_share), "bad shares of labels at nodes",
            "expected numbers from 0 to 1");
    if (scores.by_class()) return check_conformal_classes(scores);
    // The number of samples is first compared with an array, so that products of it stay small.
    const bool fits = scores.samples > 0 && std::ssize(scores.correct) == scores.samples &&
                      std::ssize(scores.complete) == scores.samples * kLargestSetSize && scores.own.empty() &&
                      scores.class_offsets.empty();
    require(fits && are_shares(scores.complete) && are_shares(scores.correct) && std::ranges::is_sorted(scores.correct),
            "bad calibration scores", "expected numbers from 0 to 1, ascending");
    for (Index size = 1; size <= kLargestSetSize; ++size) {
      require(std::ranges::is_sorted(scores.complete_of(size)), "calibration scores out of order",
              "expected ascending scores");
    }
  }

  void check_conformal_classes(const ConformalScores& scores) const {
    const auto& begin = scores.class_offsets;
    require(!scores.has_several_labels && scores.samples > 0 && std::ssize(scores.own) == scores.samples &&
                scores.complete.empty() && scores.correct.empty() && begin.size() == scores.classes.size() + 1 &&
                begin.front() == 0 && begin.back() == scores.samples && std::ranges::is_sorted(begin) &&
                std::ranges::all_of(scores.own, [](float score) { return score >= 0 && score <= 1; }),
            "bad calibration scores of classes", "expected numbers from 0 to 1 for every class");
    require(scores.classes.front() >= 0 && scores.classes.back() < scored_nodes(*model_.taxonomy) &&
                std::ranges::is_sorted(scores.classes, std::less_equal<>()),
            "bad classes of calibration scores", "expected nodes of the hierarchy, ascending");
    for (std::size_t c = 1; c < begin.size(); ++c) {
      require(std::is_sorted(scores.own.begin() + begin[c - 1], scores.own.begin() + begin[c]),
              "calibration scores out of order", "expected ascending scores");
    }
  }

  void check_forest(const Forest& forest, Index columns) const {
    const PositivePairs& sets = forest.sets;
    require(!sets.offsets.empty() && sets.offsets[0] == 0 && std::ranges::is_sorted(sets.offsets) &&
                sets.offsets.back() == std::ssize(sets.columns) &&
                std::ranges::all_of(sets.columns, [&](std::int32_t c) { return c >= 0 && c < columns; }),
            "bad sets of labels", "expected nodes with scores");
    require(!forest.trees.empty(), "a forest without trees", "expected some");
    for (const ClusteringTree& tree : forest.trees) {
      require(is_tree(tree), "a bad tree", "expected children after their parents, and features of the model");
      require(tree.leaf_offsets.size() == tree.leaf_mass.size() + 1 && tree.leaf_offsets[0] == 0 &&
                  std::ranges::is_sorted(tree.leaf_offsets) && tree.leaf_offsets.back() == std::ssize(tree.leaf_set) &&
                  all_finite(tree.leaf_mass) &&
                  std::ranges::all_of(tree.leaf_mass, [](double mass) { return mass > 0; }) &&
                  std::ranges::all_of(tree.leaf_set, [&](std::int32_t s) { return s >= 0 && s < sets.samples(); }) &&
                  std::ranges::all_of(tree.leaf_share, [](float share) { return share >= 0 && share <= 1; }),
              "bad leaves of a tree", "expected shares of sets of labels");
    }
  }

  // Children come after their parents, so that every way down ends.
  bool is_tree(const ClusteringTree& tree) const {
    const Index nodes = tree.nodes();
    Index leaves = 0;
    for (Index k = 0; k < nodes; ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (tree.feature[at] < 0) {
        if (tree.next[at] != leaves++) return false;
        continue;
      }
      const bool is_split = tree.feature[at] < model_.features && std::isfinite(tree.threshold[at]) &&
                            tree.next[at] > k + 1 && tree.next[at] < nodes;
      if (!is_split) return false;
    }
    return nodes > 0 && tree.feature.back() < 0 && leaves == tree.leaves();
  }

  void check_state() const {
    if (!model_.state) return;
    const LearningState& state = *model_.state;
    require(state.steps >= 0 && state.weights.count == model_.attributes.count &&
                (state.lagged.count == 0 || state.lagged.count == model_.attributes.count),
            "a state that does not fit the attributes", "expected weights for each");
    const auto is_finite = [](double v) { return std::isfinite(v); };
    require((state.scale_mean.empty() || std::ssize(state.scale_mean) == model_.features) &&
                state.scale_mean.size() == state.scale_factor.size() &&
                std::ranges::all_of(state.scale_mean, is_finite) && std::ranges::all_of(state.scale_factor, is_finite),
            "bad scales of the state", "expected one for each feature, or none");
    require(state.allowed.size() <= 1 || std::ssize(state.allowed) == model_.attributes.count,
            "lists of features of the state that do not fit the attributes", "expected one for all, or one for each");
    for (const std::vector<FeatureIndex>& own : state.allowed) {
      require(std::ranges::is_sorted(own, std::less_equal<>()) &&
                  (own.empty() || (own.front() >= 0 && own.back() < model_.features)),
              "a bad list of features of the state", "expected features of the model, ascending");
    }
    for (const LinearOutputs* const linear : {&state.weights, &state.lagged}) {
      check_linear(0, *linear, Index{kMaxFeatures} + 1);
      // The constant feature, if there is one, comes after all others.
      auto features = linear->features;
      if (!features.empty() && features.back() == kMaxFeatures) features = features.first(features.size() - 1);
      require(features.empty() || features.back() < model_.features, "a feature of the state that does not exist",
              "expected features of the model");
    }
  }

  void check_node(const NodeClassifier& node) const {
    const bool has_numbers = std::isfinite(node.temperature) && node.temperature > 0 && node.samples >= 0;
    require_at(node.node, has_numbers, "a bad temperature or number of samples", "expected positive ones");
    check_children(node);
    check_outputs(node);
    if (node.tree) check_label_tree(node, *node.tree);
    check_linear(node.node, node.linear, model_.features);
    require_at(node.node, node.calibration.empty() || node.calibration.size() == node.children.size(),
               "calibrations do not fit the children", "expected one each, or none");
    for (const Calibration& calibration : node.calibration) check_calibration(node.node, calibration);
  }

  void check_children(const NodeClassifier& node) const {
    const auto below = model_.taxonomy->children(node.node);
    require_at(node.node, !below.empty(), "it is a leaf", "expected internal nodes");
    // Votes may be counted in any order of the children; everything else needs the order of ids.
    std::vector<NodeId> sorted;
    if (node.decision == Decision::kVotes) {
      sorted = node.children;
      std::sort(sorted.begin(), sorted.end());
    }
    const std::vector<NodeId>& children = sorted.empty() ? node.children : sorted;
    const bool rises = std::ranges::is_sorted(children, std::less_equal<>());
    const bool are_known =
        rises && (model_.kind == ModelKind::kTopDown
                      ? std::ranges::includes(below, children)
                      : children.empty() || (children.front() > 0 && children.back() < model_.taxonomy->size()));
    require_at(node.node, are_known, "bad children", "expected children of the node, ascending");
  }

  // The weights are checked when they are used.
  void check_label_tree(const NodeClassifier& node, const LabelTree& tree) const {
    const auto groups = static_cast<std::size_t>(tree.groups());
    const auto children = node.children.size();
    bool fits = model_.kind == ModelKind::kTopDown && node.decision == Decision::kScores && node.calibration.empty() &&
                tree.beam > 0 && tree.weights >= 0 && groups > 0 && children > 1 && tree.order.size() == children &&
                tree.checksum.size() == groups && tree.offsets.size() == groups + 1 && tree.offsets[0] == 0 &&
                tree.offsets.back() == groups - 1 + children;
    // A group leads only to later ones, so that every way down ends.
    for (std::size_t k = 0; k < groups && fits; ++k) {
      fits = tree.offsets[k] < tree.offsets[k + 1] && tree.outputs_of(static_cast<Index>(k)) <= kMostGroupOutputs;
    }
    std::vector<bool> is_met(fits ? children : 0);
    for (std::size_t k = 0; k < children && fits; ++k) {
      const auto child = static_cast<std::size_t>(tree.order[k]);  // negative: too large
      fits = child < children && !is_met[child];
      if (fits) is_met[child] = true;
    }
    require_at(node.node, fits, "a bad label tree", "expected groups that lead to every child once");
  }

  void check_outputs(const NodeClassifier& node) const {
    const auto children = std::ssize(node.children);
    const Index count = node.linear.count;
    bool fits = false;
    if (node.tree) {
      fits = count == 0;
    } else if (model_.kind == ModelKind::kClasses) {
      fits = node.calibration.empty();
    } else if (model_.kind == ModelKind::kPaths) {
      fits = count == children || count == model_.taxonomy->size() - 1;
    } else if (node.decision == Decision::kScores) {
      fits = count == children || (children <= 1 && count == 0);
    } else {
      fits = count == children * (children - 1) / 2;
    }
    require_at(node.node, fits, fmt::format("{} outputs for {} children", count, children),
               "expected one per child, or per pair of children");
  }

  void check_linear(NodeId node, const LinearOutputs& linear, Index all_features) const {
    const auto weights = std::visit([](auto values) { return std::ssize(values); }, linear.weights);
    const auto outputs = std::visit([](auto values) { return std::ssize(values); }, linear.outputs);
    require_at(node, std::ssize(linear.bias) == linear.count && all_finite(linear.bias), "bad biases",
               "expected one finite number per output");
    require_at(node, std::visit([](auto values) { return are_weights(values); }, linear.weights),
               "a weight that is not finite", "expected numbers");
    require_at(node, outputs == weights, "outputs do not fit the weights", "expected one each");
    if (!linear.features.empty()) {
      require_at(node, linear.features.front() >= 0 && linear.features.back() < all_features,
                 "a feature that does not exist", "expected features of the model");
      require_at(node, always_rises(linear.features), "features out of order", "expected ascending features");
    }
    if (linear.features.empty() && linear.offsets.empty()) {
      require_at(node, weights == 0, "weights without features", "expected none");
    } else {
      const bool fit = linear.offsets.size() == linear.features.size() + 1 && linear.offsets.front() == 0 &&
                       linear.offsets.back() == weights && never_falls(linear.offsets);
      require_at(node, fit, "bad offsets of weights", "expected ascending offsets from 0 to the number of weights");
    }
    const Index last = std::visit([](auto v) { return v.empty() ? Index{-1} : Index{largest(v)}; }, linear.outputs);
    require_at(node, last < linear.count, "a weight of an output that does not exist", "expected outputs of the node");
  }

  void check_calibration(NodeId node, const Calibration& c) const {
    bool is_good = all_finite(c.at) && all_finite(c.value);
    switch (c.kind) {
      case Calibration::Kind::kNone:
        is_good = c.at.empty() && c.value.empty();
        break;
      case Calibration::Kind::kSigmoid:
        is_good = is_good && c.at.size() == 2 && c.value.empty();
        break;
      case Calibration::Kind::kIsotonic:
        is_good = is_good && !c.at.empty() && c.at.size() == c.value.size() && std::ranges::is_sorted(c.at) &&
                  std::ranges::is_sorted(c.value) && c.value.front() >= 0 && c.value.back() <= 1;
        break;
    }
    require_at(node, is_good, "a bad calibration", "expected a function from scores to [0, 1]");
  }

  const ModelBody& model_;
  const Where& where_;
};

}  // namespace

void check_model(const ModelBody& model, const Where& where) {
  ModelCheck(model, where).run();
}

}  // namespace clade
