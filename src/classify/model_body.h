#pragma once

#include <clade/dataset.h>
#include <clade/taxonomy.h>
#include <clade/text.h>
#include <clade/types.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace clade {

// How the outputs of a node become a choice among its children.
enum class Decision : std::uint8_t {
  kScores,  // an output per child; the largest wins
  kVotes,   // an output per pair (0,1), (0,2), ..., (1,2), ...: positive votes for the first; most votes win, the first
            // of equals
};

// Linear functions of the features: output o of a sample x is bias[o] + sum_f weight[f, o] x_f. Weights are stored by
// feature, so that a sparse sample touches only what it needs. The spans point into memory kept alive by
// ModelBody::storage.
struct LinearOutputs {
  Index count = 0;                         // outputs
  std::span<const FeatureIndex> features;  // with a weight, ascending
  std::span<const std::uint32_t> offsets;  // features + 1: where the weights of a feature begin
  std::variant<std::span<const std::uint16_t>, std::span<const std::uint32_t>> outputs;  // the output of each weight
  std::variant<std::span<const float>, std::span<const double>> weights;
  std::span<const double> bias;  // count
};

// A map from the scores of one output to probabilities, learnt on held-out scores.
struct Calibration {
  enum class Kind : std::uint8_t {
    kNone,
    kSigmoid,   // 1 / (1 + exp(slope s + offset)): at[0] = slope, at[1] = offset
    kIsotonic,  // linear between the points (at[k], value[k]), constant outside
  };
  Kind kind = Kind::kNone;
  std::vector<double> at;
  std::vector<double> value;
};

// How a node with very many children finds the best of them (classify/label_tree.h).
struct LabelTree;

// Decides among the children of one inner node.
struct NodeClassifier {
  NodeId node = kNoNode;
  std::vector<NodeId> children;  // only those with samples; a single child needs no weights
  Decision decision = Decision::kScores;
  LinearOutputs linear;
  std::shared_ptr<const LabelTree> tree;  // in place of `linear`; null: none
  std::vector<Calibration> calibration;   // per child; empty: none
  // The probabilities of the children are softmax(temperature x scores); with calibration, the scores are the
  // logarithms of the calibrated probabilities.
  double temperature = 1;
  Index samples = 0;  // number of training samples
};

// The classes of a joint classifier, described by a vector Lambda(y) each, so that the score of class y is
//
//   F(x, y) = sum_z lambda_z(y) u_z(x)
//
// with one output u_z per attribute z. Attributes are nodes of the hierarchy, or given by the user. Vectors are stored
// by class number, attributes ascending, without zeros.
struct ClassAttributes {
  Index count = 0;            // attributes
  std::vector<NodeId> nodes;  // of each attribute; kNoNode: not a node
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> index;
  std::vector<double> value;

  Index classes() const { return static_cast<Index>(offsets.size()) - 1; }
  std::span<const std::int32_t> index_of(Index y) const {
    const auto at = static_cast<std::size_t>(y);
    return {index.data() + offsets[at], static_cast<std::size_t>(offsets[at + 1] - offsets[at])};
  }
  std::span<const double> value_of(Index y) const {
    const auto at = static_cast<std::size_t>(y);
    return {value.data() + offsets[at], static_cast<std::size_t>(offsets[at + 1] - offsets[at])};
  }
};

// Outputs that are sums over training samples instead of linear functions: joint models with a kernel.
struct KernelExpansion;

// Scores of all nodes at once (classify/nodes/node_model.h).
struct NodeModel;

// What answers with a guarantee need (classify/conformal.h).
struct ConformalScores;

// What is compared with the thresholds of nodes (classify/decide/label_decisions.h).
struct LabelDecisions;

// What an online learner needs to continue.
struct LearningState {
  Index steps = 0;  // samples seen, repeats counted
  LinearOutputs weights;
  LinearOutputs lagged;  // sum over steps of (step x change), for averages; no outputs if not averaged
  // Training sees every feature f as scale_factor[f] (x - scale_mean[f]), with the numbers of the first samples. Empty:
  // features stay as they are.
  std::vector<double> scale_mean;
  std::vector<double> scale_factor;
  // The features that may have weights, ascending: one list for all attributes, or one for each. Empty: all features.
  std::vector<std::vector<FeatureIndex>> allowed;
};

// How the nodes are used in prediction.
enum class ModelKind : std::uint8_t {
  kTopDown,  // each node chooses among its children
  kPaths,    // one LinearOutputs for all nodes but the root; a leaf's score is the weighted sum along its path
  kClasses,  // one LinearOutputs for all attributes; a class's score is the sum of its attributes' outputs
  kNodes,    // a NodeModel
};

// Everything that prediction needs, and facts about training. Immutable once made; may be used from several threads.
struct ModelBody {
  std::string classifier;                                       // its name
  std::vector<std::pair<std::string, std::string>> parameters;  // by name, as text
  ModelKind kind = ModelKind::kTopDown;
  std::optional<Taxonomy> taxonomy;  // with miscellaneous leaves if labels were at inner nodes
  Index features = 0;
  std::vector<std::string> feature_names;  // empty: features have no names
  std::shared_ptr<const TextVectorizer> vectorizer;
  std::shared_ptr<const Replacement> replacement;  // of missing values; null: they are an error
  bool has_unit_rows = false;                      // samples are scaled to length 1 first
  bool has_probabilities = false;                  // calibrated, or the method's scores are log-probabilities
  bool is_multilabel = false;                      // trained on samples with several labels
  std::vector<NodeClassifier> nodes;  // in id order: inner nodes with samples; kPaths, kClasses: only the root
  std::vector<double> level_weights;  // kPaths: of depth 1, 2, ...
  ClassAttributes attributes;         // kClasses: of the classes, which are the root's children
  // kClasses: a sample's labels are the classes with a score above sum_c threshold[c] F(x, c) + threshold.back();
  // empty: only the best class.
  std::vector<double> threshold;
  // kPaths, kClasses: the scores of all classes become probabilities by one map, learnt on held-out scores. With
  // several labels that is this sigmoid of a score minus the threshold. With one label of K classes it is (1 - doubt)
  // softmax(temperature x scores) + doubt / K, with the temperature of the only node.
  std::optional<Calibration> sigmoid;
  double doubt = 0;
  std::shared_ptr<const KernelExpansion> kernel;  // kClasses: computes the outputs; null: they are linear
  std::shared_ptr<const NodeModel> node_model;    // kNodes
  // By node: a sample's labels are the most specific nodes whose scores (node_scores.h) reach these; empty: labels are
  // decided in the way of the model's kind.
  std::vector<double> node_threshold;
  std::shared_ptr<const LabelDecisions> decisions;   // what is made of these scores first; null: nothing
  std::optional<LearningState> state;                // of online learners
  std::shared_ptr<const ConformalScores> conformal;  // null: the model was not calibrated for answers with a guarantee
  std::vector<NodeId> constant;  // the labels to give every sample if the features were unknown; empty: not known
  Index samples = 0;             // number of training samples
  double seconds = 0;
  std::vector<std::pair<std::string, std::string>> summary;  // other facts worth knowing, for people
  std::shared_ptr<const void> storage;  // keeps alive what the spans point to: memory or a mapped file

  // The classifier of a node, or null.
  const NodeClassifier* at(NodeId node) const {
    const auto found = std::ranges::lower_bound(nodes, node, {}, &NodeClassifier::node);
    return found != nodes.end() && found->node == node ? &*found : nullptr;
  }
};

}  // namespace clade
