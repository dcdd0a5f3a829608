#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "classify/conformal.h"
#include "classify/decide/label_decisions.h"
#include "classify/kernel_expansion.h"
#include "classify/label_tree.h"
#include "classify/model_kinds.h"
#include "classify/nodes/node_model.h"
#include "data/text/vectorizer_json.h"
#include "model/array_file.h"
#include "model/model_check.h"
#include "model/model_file.h"
#include "model/model_names.h"
#include "taxonomy/restore.h"

namespace clade {
namespace {

using nlohmann::json;

// An array from which consecutive slices are taken; with `Aligned` each begins at a multiple of 64 bytes.
template <class T, bool Aligned>
class Slices {
 public:
  Slices(const ArrayFile& file, std::string name)
      : file_(file), name_(std::move(name)), rest_(file.array<T>(name_)), size_(rest_.size()) {}

  std::span<const T> take(Index count) {
    if (count == 0) return {};
    if constexpr (Aligned) {
      constexpr std::size_t kStep = kArrayAlignment / sizeof(T);
      const std::size_t at = size_ - rest_.size();
      rest_ = rest_.subspan(std::min(rest_.size(), (kStep - at % kStep) % kStep));
    }
    if (count < 0 || static_cast<std::size_t>(count) > rest_.size()) {
      throw file_.error(fmt::format("inconsistent model: array '{}' is too short", name_),
                        "expected what the nodes say");
    }
    const auto slice = rest_.first(static_cast<std::size_t>(count));
    rest_ = rest_.subspan(slice.size());
    return slice;
  }

  void finish() const {
    if (rest_.empty()) return;
    throw file_.error(fmt::format("inconsistent model: array '{}' is too long", name_), "expected what the nodes say");
  }

 private:
  const ArrayFile& file_;
  std::string name_;
  std::span<const T> rest_;
  std::size_t size_;
};

class ModelReader {
 public:
  explicit ModelReader(const ArrayFile& file) : file_(file) {}

  ModelBody read() {
    const json& top = file_.description();
    ModelBody model;
    model.classifier = text(top, "classifier");
    model.parameters = pairs("parameters");
    model.kind = kind(text(top, "kind"));
    model.taxonomy = taxonomy(get(top, "taxonomy"));
    model.features = count(top, "features");
    model.vectorizer = vectorizer(get(top, "vectorizer"));
    model.replacement = replacement(top);
    model.feature_names = feature_names(text(top, "feature_names"), model.vectorizer.get());
    model.has_unit_rows = flag(top, "unit_rows");
    model.has_probabilities = flag(top, "probabilities");
    model.is_multilabel = flag(top, "multilabel");
    const auto level_weights = file_.array<double>("level_weights");
    model.level_weights.assign(level_weights.begin(), level_weights.end());
    model.constant = constant(top, model.taxonomy->size());
    model.samples = count(top, "samples");
    if (top.contains("seconds")) model.seconds = number(top, "seconds");  // files of the first versions
    model.summary = pairs("summary");
    if (model.kind == ModelKind::kClasses) read_attributes(get(top, "classes"), model);
    read_node_table(model.nodes);
    read_calibrations(model.nodes);
    read_linear(model.nodes, "");
    read_label_trees(model);
    if (top.contains("doubt")) model.doubt = number(top, "doubt");
    if (top.contains("sigmoid")) model.sigmoid = sigmoid(get(top, "sigmoid"));
    if (top.contains("state")) model.state = state(get(top, "state"));
    if (top.contains("kernel")) model.kernel = kernel(get(top, "kernel"));
    if (top.contains("conformal")) model.conformal = conformal(get(top, "conformal"));
    copy("node_threshold", model.node_threshold);
    if (top.contains("decisions")) model.decisions = decisions(get(top, "decisions"));
    if (model.kind == ModelKind::kNodes) model.node_model = node_model(get(top, "nodes"));
    model.storage = file_.storage();
    return model;
  }

 private:
  Error error(std::string_view key, std::string_view expected) const {
    return file_.error(fmt::format("inconsistent model: bad \"{}\" in the description", key), expected);
  }

  const json& get(const json& object, std::string_view key) const {
    if (!object.is_object() || !object.contains(key)) throw error(key, "it is missing");
    return *object.find(key);
  }
  std::string text(const json& object, std::string_view key) const {
    const json& value = get(object, key);
    if (!value.is_string()) throw error(key, "expected a string");
    return value.get<std::string>();
  }
  Index count(const json& object, std::string_view key) const {
    const json& value = get(object, key);
    constexpr std::uint64_t kLargest = 1ULL << 53U;
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kLargest) throw error(key, "expected a count");
    return value.get<Index>();
  }
  double number(const json& object, std::string_view key) const {
    const json& value = get(object, key);
    if (!value.is_number()) throw error(key, "expected a number");
    return value.get<double>();
  }
  bool flag(const json& object, std::string_view key) const {
    const json& value = get(object, key);
    if (!value.is_boolean()) throw error(key, "expected true or false");
    return value.get<bool>();
  }

  // Models of earlier versions do not have it.
  std::vector<NodeId> constant(const json& description, NodeId nodes) const {
    std::vector<NodeId> labels;
    if (!description.contains("constant")) return labels;
    const json& list = get(description, "constant");
    if (!list.is_array()) throw error("constant", "expected labels");
    for (const json& label : list) {
      if (!label.is_number_unsigned() || label.get<std::uint64_t>() >= static_cast<std::uint64_t>(nodes)) {
        throw error("constant", "expected nodes of the hierarchy");
      }
      labels.push_back(label.get<NodeId>());
    }
    return labels;
  }

  Calibration sigmoid(const json& list) const {
    Calibration result{.kind = Calibration::Kind::kSigmoid, .at = {}, .value = {}};
    if (!list.is_array() || list.size() != 2 || !list[0].is_number() || !list[1].is_number()) {
      throw error("sigmoid", "expected a slope and an offset");
    }
    for (const json& number : list) result.at.push_back(number.get<double>());
    return result;
  }

  ModelKind kind(std::string_view name) const {
    const ModelKindInfo* const info = find_model_kind(name);
    if (info == nullptr) throw error("kind", "expected a kind that this version of Clade knows");
    return info->kind;
  }

  Pairs pairs(std::string_view name) const {
    std::vector<std::string> flat = file_.strings(name);
    if (flat.size() % 2 != 0) throw error(name, "expected names with their values");
    Pairs result;
    for (std::size_t k = 0; k < flat.size(); k += 2) result.emplace_back(std::move(flat[k]), std::move(flat[k + 1]));
    return result;
  }

  template <class T>
  void copy(std::string_view name, std::vector<T>& to) const {
    const auto values = file_.array<T>(name);
    to.assign(values.begin(), values.end());
  }
  void read_attributes(const json& object, ModelBody& model) const {
    model.attributes.count = count(object, "attributes");
    copy("attribute_node", model.attributes.nodes);
    copy("attribute_offset", model.attributes.offsets);
    copy("attribute_index", model.attributes.index);
    copy("attribute_value", model.attributes.value);
    copy("threshold", model.threshold);
  }

  Taxonomy taxonomy(const json& object) const {
    TaxonomyShape shape;
    shape.names = file_.strings("taxonomy_names");
    const auto positions = file_.array<NodeId>("taxonomy_positions");
    shape.input_position.assign(positions.begin(), positions.end());
    const auto parents = file_.array<NodeId>("taxonomy_parents");
    const auto children = file_.array<NodeId>("taxonomy_children");
    if (parents.size() != children.size()) throw error("taxonomy", "expected a parent and a child per edge");
    shape.edges.reserve(parents.size());
    for (std::size_t k = 0; k < parents.size(); ++k) shape.edges.emplace_back(parents[k], children[k]);
    shape.virtual_root = flag(object, "virtual_root");
    const auto nodes = std::ssize(shape.names);
    const Index miscellaneous = count(object, "miscellaneous");
    if (nodes > std::numeric_limits<NodeId>::max() || miscellaneous > nodes || count(object, "nodes") != nodes) {
      throw error("taxonomy", "expected the number of its nodes");
    }
    if (miscellaneous > 0) shape.first_miscellaneous = static_cast<NodeId>(nodes - miscellaneous);
    return restore_taxonomy(std::move(shape), file_.where());
  }

  std::shared_ptr<const TextVectorizer> vectorizer(const json& given) const {
    if (given.is_null()) return nullptr;
    if (!given.is_object()) throw error("vectorizer", "expected its options, or null");
    json object = given;
    object["words"] = json::array();
    object["document_frequency"] = json::array();
    auto result = std::make_shared<TextVectorizer>(vectorizer_from_json(object, file_.where()));
    result->words = file_.strings("words");
    const auto frequencies = file_.array<Index>("document_frequency");
    result->document_frequency.assign(frequencies.begin(), frequencies.end());
    return result;
  }

  // Models of earlier versions do not have it.
  std::shared_ptr<const Replacement> replacement(const json& description) const {
    if (!description.contains("missing")) return nullptr;
    const std::string rule = text(description, "missing");
    if (rule == kMissingIsError) return nullptr;
    auto result = std::make_shared<Replacement>();
    if (rule == kMissingIsZero) return result;
    if (rule != kMissingIsMean) throw error("missing", "expected error, zero or mean");
    copy("missing_means", *result);
    if (result->empty()) throw error("missing_means", "expected one per feature");
    return result;
  }

  std::vector<std::string> feature_names(std::string_view from, const TextVectorizer* words) const {
    if (from == kNoNames) return {};
    if (from == kOwnNames) return file_.strings("feature_names");
    if (from != kWordNames || words == nullptr) throw error("feature_names", "expected none, own or words");
    return words->feature_names();
  }

  template <class T>
  std::span<const T> column(std::string_view name, std::size_t rows) const {
    const auto values = file_.array<T>(name);
    if (values.size() == rows) return values;
    throw file_.error(fmt::format("inconsistent model: array '{}' has {} values", name, values.size()),
                      fmt::format("expected one for each of {} nodes", rows));
  }

  void read_node_table(std::vector<NodeClassifier>& nodes) const {
    const auto ids = file_.array<NodeId>("node");
    const auto child_counts = column<NodeId>("node_children", ids.size());
    const auto decisions = column<std::uint8_t>("node_decision", ids.size());
    const auto temperatures = column<double>("node_temperature", ids.size());
    const auto samples = column<Index>("node_samples", ids.size());
    Slices<NodeId, false> children(file_, "children");
    nodes.resize(ids.size());
    for (std::size_t k = 0; k < ids.size(); ++k) {
      NodeClassifier& node = nodes[k];
      node.node = ids[k];
      const auto below = children.take(child_counts[k]);
      node.children.assign(below.begin(), below.end());
      if (decisions[k] > 1) throw error("node_decision", "expected 0 or 1");
      node.decision = static_cast<Decision>(decisions[k]);
      node.temperature = temperatures[k];
      node.samples = samples[k];
    }
    children.finish();
  }

  void read_calibrations(std::vector<NodeClassifier>& nodes) const {
    const auto is_calibrated = column<std::uint8_t>("node_calibrated", nodes.size());
    Slices<std::uint8_t, false> kinds(file_, "calibration_kind");
    Slices<Index, false> points(file_, "calibration_points");
    Slices<double, false> at(file_, "calibration_at");
    Slices<double, false> values(file_, "calibration_value");
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      if (is_calibrated[k] == 0) continue;
      const auto children = std::ssize(nodes[k].children);
      const auto node_kinds = kinds.take(children);
      const auto node_points = points.take(children);
      for (std::size_t c = 0; c < node_kinds.size(); ++c) {
        if (node_kinds[c] > 2) throw error("calibration_kind", "expected 0, 1 or 2");
        Calibration& calibration = nodes[k].calibration.emplace_back();
        calibration.kind = static_cast<Calibration::Kind>(node_kinds[c]);
        const auto node_at = at.take(node_points[c]);
        calibration.at.assign(node_at.begin(), node_at.end());
        if (calibration.kind != Calibration::Kind::kIsotonic) continue;
        const auto node_values = values.take(node_points[c]);
        calibration.value.assign(node_values.begin(), node_values.end());
      }
    }
    kinds.finish();
    points.finish();
    at.finish();
    values.finish();
  }

  LearningState state(const json& object) const {
    std::vector<NodeClassifier> both(2);
    read_linear(both, "state_");
    LearningState state{.steps = count(object, "steps"),
                        .weights = both[0].linear,
                        .lagged = both[1].linear,
                        .scale_mean = {},
                        .scale_factor = {},
                        .allowed = {}};
    copy("state_scale_mean", state.scale_mean);
    copy("state_scale_factor", state.scale_factor);
    const auto features = file_.array<FeatureIndex>("state_allowed");
    Index begin = 0;
    for (const Index end : file_.array<Index>("state_allowed_end")) {
      if (end < begin || end > std::ssize(features)) throw error("state", "expected ends of lists within them");
      state.allowed.emplace_back(features.begin() + begin, features.begin() + end);
      begin = end;
    }
    return state;
  }

  std::shared_ptr<const ConformalScores> conformal(const json& object) const {
    ConformalScores scores;
    scores.way = flag(object, "cross") ? ConformalOptions::Way::kCross : ConformalOptions::Way::kSplit;
    scores.samples = count(object, "samples");
    scores.has_several_labels = flag(object, "several_labels");
    copy("conformal_complete", scores.complete);
    copy("conformal_correct", scores.correct);
    copy("conformal_own_share", scores.own_share);
    copy("conformal_class", scores.classes);
    copy("conformal_own", scores.own);
    copy("conformal_class_offset", scores.class_offsets);
    return std::make_shared<const ConformalScores>(std::move(scores));
  }

  KernelOptions kernel_options(const json& object) const {
    KernelOptions options;
    ParameterTable table(options);
    for (const Parameter& parameter : table.parameters()) {
      const std::string value = text(object, parameter.name);
      try {
        parameter.set(value);
      } catch (const Error&) {
        throw error(parameter.name, "expected a parameter of a kernel");
      }
    }
    if (std::isnan(options.gamma)) throw error("gamma", "expected a number");
    return options;
  }

  KernelSamples support(const json& object, const KernelOptions& options) const {
    KernelArrays arrays;
    arrays.width = count(object, "width");
    copy("support_offset", arrays.offsets);
    copy("support_column", arrays.columns);
    copy("support_value", arrays.values);
    Context ctx({.threads = 1});
    try {
      return KernelSamples(std::move(arrays), options, ctx);
    } catch (const Error& bad) {
      throw error("support", bad.what());
    }
  }

  // A member of all trees; a tree has `sizes` values and `extra` more.
  template <class T>
  void copy_trees(std::string_view name, Forest& forest, std::vector<T> ClusteringTree::* member,
                  std::span<const Index> sizes, Index extra = 0) const {
    Slices<T, true> slices(file_, std::string(name));
    for (std::size_t k = 0; k < forest.trees.size(); ++k) {
      const auto own = slices.take(sizes[k] + extra);
      (forest.trees[k].*member).assign(own.begin(), own.end());
    }
    slices.finish();
  }

  Forest forest(const json& object) const {
    Forest result;
    copy("forest_set_offset", result.sets.offsets);
    copy("forest_set_column", result.sets.columns);
    const auto trees = static_cast<std::size_t>(count(object, "trees"));
    const auto nodes = column<Index>("tree_nodes", trees);
    const auto leaves = column<Index>("tree_leaves", trees);
    const auto shares = column<Index>("tree_shares", trees);
    result.trees.resize(trees);
    copy_trees("tree_feature", result, &ClusteringTree::feature, nodes);
    copy_trees("tree_threshold", result, &ClusteringTree::threshold, nodes);
    copy_trees("tree_next", result, &ClusteringTree::next, nodes);
    copy_trees("tree_missing_left", result, &ClusteringTree::missing_left, nodes);
    copy_trees("leaf_offset", result, &ClusteringTree::leaf_offsets, leaves, 1);
    copy_trees("leaf_set", result, &ClusteringTree::leaf_set, shares);
    copy_trees("leaf_share", result, &ClusteringTree::leaf_share, shares);
    copy_trees("leaf_mass", result, &ClusteringTree::leaf_mass, leaves);
    return result;
  }

  std::shared_ptr<const NodeModel> node_model(const json& object) const {
    auto nodes = std::make_shared<NodeModel>();
    copy("scored_node", nodes->nodes);
    copy("scored_mean", nodes->mean);
    copy("score_map_at", nodes->map.at);
    copy("score_map_value", nodes->map.value);
    copy("path_labels", nodes->labels);
    nodes->path_threshold = number(object, "path_threshold");
    nodes->temperature = number(object, "temperature");
    if (object.contains("doubt")) nodes->doubt = number(object, "doubt");
    if (object.contains("clustering_trees")) nodes->forest.emplace(forest(get(object, "clustering_trees")));
    nodes->forest_share = number(object, "forest_share");
    if (!object.contains("ridge")) return nodes;
    const json& described = get(object, "ridge");
    const KernelOptions options = kernel_options(described);
    nodes->ridge.emplace(RidgeExpansion{{}, {}, options, support(described, options), {}, {}, {}});
    RidgeExpansion& ridge = *nodes->ridge;
    copy("ridge_features", ridge.features);
    copy("ridge_scale_mean", ridge.scale.mean);
    copy("ridge_scale_factor", ridge.scale.factor);
    ridge.names = file_.strings("support_name");
    copy("support_label_offset", ridge.labels.offsets);
    copy("support_label", ridge.labels.nodes);
    const auto coefficients = file_.array<double>("ridge_coefficient");
    if (std::ssize(coefficients) != ridge.support.size() * nodes->columns()) {
      throw error("ridge_coefficient", "expected one per support sample and node");
    }
    ridge.coefficient = Eigen::Map<const Matrix>(coefficients.data(), ridge.support.size(), nodes->columns());
    return nodes;
  }

  std::shared_ptr<const LabelDecisions> decisions(const json& object) const {
    LabelDecisions result;
    result.trust = number(object, "trust");
    copy("decision_frequency", result.frequency);
    copy("decision_map_at", result.map.at);
    copy("decision_map_value", result.map.value);
    return std::make_shared<const LabelDecisions>(std::move(result));
  }

  std::shared_ptr<const KernelExpansion> kernel(const json& object) const {
    const KernelOptions options = kernel_options(object);
    KernelExpansion expansion{.options = options, .support = support(object, options)};
    copy("coefficient_offset", expansion.offsets);
    copy("coefficient_attribute", expansion.attributes);
    copy("coefficient_value", expansion.values);
    if (object.contains("has_names")) {  // models of earlier versions do not have them
      expansion.names = file_.strings("support_name");
      copy("support_label_offset", expansion.label_offsets);
      copy("support_label", expansion.labels);
    }
    return std::make_shared<const KernelExpansion>(std::move(expansion));
  }

  void read_linear(std::vector<NodeClassifier>& nodes, const std::string& prefix) const {
    const auto output_counts = column<Index>(prefix + "node_outputs", nodes.size());
    const auto feature_counts = column<Index>(prefix + "node_features", nodes.size());
    const auto weight_counts = column<Index>(prefix + "node_weights", nodes.size());
    const auto output_bytes = column<std::uint8_t>(prefix + "node_output_bytes", nodes.size());
    const auto weight_bytes = column<std::uint8_t>(prefix + "node_weight_bytes", nodes.size());
    Slices<FeatureIndex, true> features(file_, prefix + "features");
    Slices<std::uint32_t, true> offsets(file_, prefix + "offsets");
    Slices<std::uint16_t, true> outputs_u16(file_, prefix + "outputs_u16");
    Slices<std::uint32_t, true> outputs_u32(file_, prefix + "outputs_u32");
    Slices<float, true> weights_f32(file_, prefix + "weights_f32");
    Slices<double, true> weights_f64(file_, prefix + "weights_f64");
    Slices<double, true> bias(file_, prefix + "bias");
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      LinearOutputs& linear = nodes[k].linear;
      linear.count = output_counts[k];
      linear.features = features.take(feature_counts[k]);
      linear.offsets = offsets.take(std::ssize(linear.features) + 1);
      if (output_bytes[k] == 2) {
        linear.outputs = outputs_u16.take(weight_counts[k]);
      } else if (output_bytes[k] == 4) {
        linear.outputs = outputs_u32.take(weight_counts[k]);
      } else {
        throw error("node_output_bytes", "expected 2 or 4");
      }
      if (weight_bytes[k] == 4) {
        linear.weights = weights_f32.take(weight_counts[k]);
      } else if (weight_bytes[k] == 8) {
        linear.weights = weights_f64.take(weight_counts[k]);
      } else {
        throw error("node_weight_bytes", "expected 4 or 8");
      }
      linear.bias = bias.take(linear.count);
    }
    features.finish();
    offsets.finish();
    outputs_u16.finish();
    outputs_u32.finish();
    weights_f32.finish();
    weights_f64.finish();
    bias.finish();
  }

  // Models of earlier versions have none.
  void read_label_trees(ModelBody& model) const {
    if (file_.array<Index>("node_groups").empty()) return;
    const auto group_counts = column<Index>("node_groups", model.nodes.size());
    Slices<Index, false> beams(file_, "label_tree_beam");
    Slices<Index, false> weights(file_, "label_tree_weights");
    Slices<std::int32_t, false> order(file_, "label_tree_order");
    Slices<std::uint32_t, false> outputs(file_, "group_outputs");
    Slices<Index, false> sizes(file_, "group_bytes");
    Slices<Index, false> checksums(file_, "group_checksum");
    Slices<std::uint8_t, true> packed(file_, "group_weights");
    for (std::size_t k = 0; k < model.nodes.size(); ++k) {
      if (group_counts[k] == 0) continue;
      NodeClassifier& node = model.nodes[k];
      const auto tree = std::make_shared<LabelTree>();
      tree->where = file_.where();
      tree->beam = beams.take(1)[0];
      tree->weights = weights.take(1)[0];
      const auto own_order = order.take(std::ssize(node.children));
      tree->order.assign(own_order.begin(), own_order.end());
      std::uint64_t end = 0;
      for (const std::uint32_t count : outputs.take(group_counts[k])) {
        end += count;
        if (end > std::numeric_limits<std::uint32_t>::max()) throw error("group_outputs", "expected fewer outputs");
        tree->offsets.push_back(static_cast<std::uint32_t>(end));
      }
      for (const Index size : sizes.take(group_counts[k])) tree->packed.push_back(packed.take(size));
      for (const Index checksum : checksums.take(group_counts[k])) {
        tree->checksum.push_back(static_cast<std::uint64_t>(checksum));
      }
      tree->prepare(model.features);
      node.tree = tree;
    }
    beams.finish();
    weights.finish();
    order.finish();
    outputs.finish();
    sizes.finish();
    checksums.finish();
    packed.finish();
  }

  const ArrayFile& file_;
};

}  // namespace

ModelBody parse_model(const Input& input) {
  const ArrayFile file(input);
  ModelBody model = ModelReader(file).read();
  check_model(model, file.where());
  return model;
}

ModelBody read_model_body(const std::string& path) {
  Context ctx({.threads = 1});
  return parse_model(Input::open(path, ctx));
}

ModelBody read_whole_model(const std::string& path) {
  Context ctx({.threads = 1});
  const Input input = Input::open(path, ctx);
  ArrayFile(input).require_unchanged();
  ModelBody model = parse_model(input);
  require_sound_label_trees(model);
  return model;
}

bool looks_like_model(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary);
  std::array<char, kArrayFileMagic.size()> head{};
  file.read(head.data(), std::ssize(head));
  return file.good() && std::string_view(head.data(), head.size()) == kArrayFileMagic;
}

}  // namespace clade
