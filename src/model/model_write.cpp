#include <clade/version.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>

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

void add_pairs(ArrayFileWriter& file, const std::string& name, const Pairs& pairs) {
  std::vector<std::string> flat;
  for (const auto& [key, value] : pairs) {
    flat.push_back(key);
    flat.push_back(value);
  }
  file.add_strings(name, flat);
}

json add_taxonomy(ArrayFileWriter& file, const Taxonomy& taxonomy) {
  const TaxonomyShape shape = shape_of(taxonomy);
  std::vector<NodeId> parents;
  std::vector<NodeId> children;
  for (const auto& [parent, child] : shape.edges) {
    parents.push_back(parent);
    children.push_back(child);
  }
  file.add_strings("taxonomy_names", shape.names);
  file.add_copy("taxonomy_positions", shape.input_position);
  file.add_copy("taxonomy_parents", std::move(parents));
  file.add_copy("taxonomy_children", std::move(children));
  const NodeId first = std::min(shape.first_miscellaneous, taxonomy.size());
  return {{"nodes", taxonomy.size()}, {"virtual_root", shape.virtual_root}, {"miscellaneous", taxonomy.size() - first}};
}

json add_vectorizer(ArrayFileWriter& file, const ModelBody& model) {
  if (!model.vectorizer) return nullptr;
  const TextVectorizer& vectorizer = *model.vectorizer;
  file.add_strings("words", vectorizer.words);
  file.add("document_frequency", std::span<const Index>(vectorizer.document_frequency));
  json object = vectorizer_to_json({.options = vectorizer.options,
                                    .words = {},
                                    .document_frequency = {},
                                    .documents = vectorizer.documents,
                                    .numbers = vectorizer.numbers});
  object.erase("words");
  object.erase("document_frequency");
  return object;
}

std::string_view add_replacement(ArrayFileWriter& file, const ModelBody& model) {
  if (!model.replacement) return kMissingIsError;
  if (model.replacement->empty()) return kMissingIsZero;
  file.add("missing_means", std::span<const double>(*model.replacement));
  return kMissingIsMean;
}

std::string_view add_feature_names(ArrayFileWriter& file, const ModelBody& model) {
  if (model.feature_names.empty()) return kNoNames;
  if (model.vectorizer && model.vectorizer->feature_names() == model.feature_names) return kWordNames;
  file.add_strings("feature_names", model.feature_names);
  return kOwnNames;
}

// A column of the table of nodes.
template <class T, class Get>
void add_column(ArrayFileWriter& file, std::string name, const std::vector<NodeClassifier>& nodes, const Get& get) {
  std::vector<T> column;
  column.reserve(nodes.size());
  for (const NodeClassifier& node : nodes) column.push_back(static_cast<T>(get(node)));
  file.add_copy(std::move(name), std::move(column));
}

template <class Variant>
Index size_of(const Variant& spans) {
  return std::visit([](auto values) { return static_cast<Index>(values.size()); }, spans);
}

void add_node_table(ArrayFileWriter& file, const std::vector<NodeClassifier>& nodes) {
  using Node = NodeClassifier;
  add_column<NodeId>(file, "node", nodes, [](const Node& n) { return n.node; });
  add_column<NodeId>(file, "node_children", nodes, [](const Node& n) { return n.children.size(); });
  add_column<std::uint8_t>(file, "node_decision", nodes, [](const Node& n) { return n.decision; });
  add_column<std::uint8_t>(file, "node_calibrated", nodes, [](const Node& n) { return !n.calibration.empty(); });
  add_column<double>(file, "node_temperature", nodes, [](const Node& n) { return n.temperature; });
  add_column<Index>(file, "node_samples", nodes, [](const Node& n) { return n.samples; });
  std::vector<NodeId> children;
  for (const Node& node : nodes) children.insert(children.end(), node.children.begin(), node.children.end());
  file.add_copy("children", std::move(children));
}

void add_calibrations(ArrayFileWriter& file, const std::vector<NodeClassifier>& nodes) {
  std::vector<std::uint8_t> kinds;
  std::vector<Index> points;
  std::vector<double> at;
  std::vector<double> values;
  for (const NodeClassifier& node : nodes) {
    for (const Calibration& calibration : node.calibration) {
      kinds.push_back(static_cast<std::uint8_t>(calibration.kind));
      points.push_back(static_cast<Index>(calibration.at.size()));
      at.insert(at.end(), calibration.at.begin(), calibration.at.end());
      values.insert(values.end(), calibration.value.begin(), calibration.value.end());
    }
  }
  file.add_copy("calibration_kind", std::move(kinds));
  file.add_copy("calibration_points", std::move(points));
  file.add_copy("calibration_at", std::move(at));
  file.add_copy("calibration_value", std::move(values));
}

// Names of arrays begin with `prefix`.
void add_linear(ArrayFileWriter& file, const std::vector<NodeClassifier>& nodes, const std::string& prefix) {
  using Node = NodeClassifier;
  add_column<Index>(file, prefix + "node_outputs", nodes, [](const Node& n) { return n.linear.count; });
  add_column<Index>(file, prefix + "node_features", nodes, [](const Node& n) { return n.linear.features.size(); });
  add_column<Index>(file, prefix + "node_weights", nodes, [](const Node& n) { return size_of(n.linear.weights); });
  add_column<std::uint8_t>(file, prefix + "node_output_bytes", nodes,
                           [](const Node& n) { return n.linear.outputs.index() == 0 ? 2 : 4; });
  add_column<std::uint8_t>(file, prefix + "node_weight_bytes", nodes,
                           [](const Node& n) { return n.linear.weights.index() == 0 ? 4 : 8; });
  static constexpr std::array<std::uint32_t, 1> kNoOffsets{0};
  std::vector<std::span<const FeatureIndex>> features;
  std::vector<std::span<const std::uint32_t>> offsets;
  std::vector<std::span<const std::uint16_t>> outputs_u16;
  std::vector<std::span<const std::uint32_t>> outputs_u32;
  std::vector<std::span<const float>> weights_f32;
  std::vector<std::span<const double>> weights_f64;
  std::vector<std::span<const double>> bias;
  for (const NodeClassifier& node : nodes) {
    const LinearOutputs& linear = node.linear;
    features.push_back(linear.features);
    offsets.push_back(linear.offsets.empty() ? std::span<const std::uint32_t>(kNoOffsets) : linear.offsets);
    bias.push_back(linear.bias);
    if (const auto* outputs = std::get_if<0>(&linear.outputs)) outputs_u16.push_back(*outputs);
    if (const auto* outputs = std::get_if<1>(&linear.outputs)) outputs_u32.push_back(*outputs);
    if (const auto* weights = std::get_if<0>(&linear.weights)) weights_f32.push_back(*weights);
    if (const auto* weights = std::get_if<1>(&linear.weights)) weights_f64.push_back(*weights);
  }
  file.add_slices(prefix + "features", features);
  file.add_slices(prefix + "offsets", offsets);
  file.add_slices(prefix + "outputs_u16", outputs_u16);
  file.add_slices(prefix + "outputs_u32", outputs_u32);
  file.add_slices(prefix + "weights_f32", weights_f32);
  file.add_slices(prefix + "weights_f64", weights_f64);
  file.add_slices(prefix + "bias", bias);
}

void add_label_trees(ArrayFileWriter& file, const std::vector<NodeClassifier>& nodes) {
  if (std::ranges::none_of(nodes, [](const NodeClassifier& node) { return node.tree != nullptr; })) return;
  std::vector<Index> groups;
  std::vector<Index> beams;
  std::vector<Index> weights;
  std::vector<std::uint32_t> outputs;
  std::vector<std::int32_t> order;
  std::vector<Index> bytes;
  std::vector<Index> checksums;
  std::vector<std::span<const std::uint8_t>> packed;
  for (const NodeClassifier& node : nodes) {
    groups.push_back(node.tree ? node.tree->groups() : 0);
    if (!node.tree) continue;
    const LabelTree& tree = *node.tree;
    beams.push_back(tree.beam);
    weights.push_back(tree.weights);
    order.insert(order.end(), tree.order.begin(), tree.order.end());
    packed.insert(packed.end(), tree.packed.begin(), tree.packed.end());
    for (Index group = 0; group < tree.groups(); ++group) {
      outputs.push_back(static_cast<std::uint32_t>(tree.outputs_of(group)));
      bytes.push_back(std::ssize(tree.packed[static_cast<std::size_t>(group)]));
      checksums.push_back(static_cast<Index>(tree.checksum[static_cast<std::size_t>(group)]));
    }
  }
  file.add_copy("node_groups", std::move(groups));
  file.add_copy("label_tree_beam", std::move(beams));
  file.add_copy("label_tree_weights", std::move(weights));
  file.add_copy("label_tree_order", std::move(order));
  file.add_copy("group_outputs", std::move(outputs));
  file.add_copy("group_bytes", std::move(bytes));
  file.add_copy("group_checksum", std::move(checksums));
  file.add_late_slices("group_weights", packed);
}

json add_state(ArrayFileWriter& file, const LearningState& state) {
  std::vector<NodeClassifier> both(2);
  both[0].linear = state.weights;
  both[1].linear = state.lagged;
  add_linear(file, both, "state_");
  file.add("state_scale_mean", std::span<const double>(state.scale_mean));
  file.add("state_scale_factor", std::span<const double>(state.scale_factor));
  std::vector<Index> offsets;
  std::vector<FeatureIndex> features;
  for (const auto& own : state.allowed) {
    features.insert(features.end(), own.begin(), own.end());
    offsets.push_back(std::ssize(features));
  }
  file.add_copy("state_allowed_end", std::move(offsets));
  file.add_copy("state_allowed", std::move(features));
  return {{"steps", state.steps}};
}

void add_samples(ArrayFileWriter& file, const KernelSamples& samples) {
  std::vector<Index> all(static_cast<std::size_t>(samples.size()));
  std::iota(all.begin(), all.end(), Index{0});
  KernelArrays arrays = samples.arrays(all);
  file.add_copy("support_offset", std::move(arrays.offsets));
  file.add_copy("support_column", std::move(arrays.columns));
  file.add_copy("support_value", std::move(arrays.values));
}

json kernel_object(KernelOptions options, Index width) {
  const ParameterTable table(options);
  json object{{"width", width}};
  for (const Parameter& parameter : table.parameters()) object[parameter.name] = parameter.get();
  return object;
}

json add_kernel(ArrayFileWriter& file, const KernelExpansion& kernel) {
  add_samples(file, kernel.support);
  file.add("coefficient_offset", std::span<const Index>(kernel.offsets));
  file.add("coefficient_attribute", std::span<const std::int32_t>(kernel.attributes));
  file.add("coefficient_value", std::span<const double>(kernel.values));
  file.add_strings("support_name", kernel.names);
  file.add("support_label_offset", std::span<const Index>(kernel.label_offsets));
  file.add("support_label", std::span<const NodeId>(kernel.labels));
  json object = kernel_object(kernel.options, kernel.support.width());
  object["has_names"] = true;
  return object;
}

// A member of all trees, tree after tree.
template <class T>
void add_trees(ArrayFileWriter& file, std::string name, const Forest& forest, std::vector<T> ClusteringTree::* member) {
  std::vector<std::span<const T>> slices;
  for (const ClusteringTree& tree : forest.trees) slices.emplace_back(tree.*member);
  file.add_slices(std::move(name), slices);
}

json add_forest(ArrayFileWriter& file, const Forest& forest) {
  file.add("forest_set_offset", std::span<const Index>(forest.sets.offsets));
  file.add("forest_set_column", std::span<const std::int32_t>(forest.sets.columns));
  std::vector<Index> nodes;
  std::vector<Index> leaves;
  std::vector<Index> shares;
  for (const ClusteringTree& tree : forest.trees) {
    nodes.push_back(tree.nodes());
    leaves.push_back(tree.leaves());
    shares.push_back(std::ssize(tree.leaf_set));
  }
  file.add_copy("tree_nodes", std::move(nodes));
  file.add_copy("tree_leaves", std::move(leaves));
  file.add_copy("tree_shares", std::move(shares));
  add_trees(file, "tree_feature", forest, &ClusteringTree::feature);
  add_trees(file, "tree_threshold", forest, &ClusteringTree::threshold);
  add_trees(file, "tree_next", forest, &ClusteringTree::next);
  add_trees(file, "tree_missing_left", forest, &ClusteringTree::missing_left);
  add_trees(file, "leaf_offset", forest, &ClusteringTree::leaf_offsets);
  add_trees(file, "leaf_set", forest, &ClusteringTree::leaf_set);
  add_trees(file, "leaf_share", forest, &ClusteringTree::leaf_share);
  add_trees(file, "leaf_mass", forest, &ClusteringTree::leaf_mass);
  return {{"trees", forest.trees.size()}};
}

json add_node_model(ArrayFileWriter& file, const NodeModel& nodes) {
  file.add("scored_node", std::span<const NodeId>(nodes.nodes));
  file.add("scored_mean", std::span<const double>(nodes.mean));
  file.add("score_map_at", std::span<const double>(nodes.map.at));
  file.add("score_map_value", std::span<const double>(nodes.map.value));
  file.add("path_labels", std::span<const NodeId>(nodes.labels));
  json object{{"path_threshold", nodes.path_threshold},
              {"temperature", nodes.temperature},
              {"forest_share", nodes.forest_share}};
  if (nodes.doubt > 0) object["doubt"] = nodes.doubt;
  if (nodes.forest) object["clustering_trees"] = add_forest(file, *nodes.forest);
  if (!nodes.ridge) return object;
  const RidgeExpansion& ridge = *nodes.ridge;
  file.add("ridge_features", std::span<const FeatureIndex>(ridge.features));
  file.add("ridge_scale_mean", std::span<const double>(ridge.scale.mean));
  file.add("ridge_scale_factor", std::span<const double>(ridge.scale.factor));
  add_samples(file, ridge.support);
  file.add("ridge_coefficient",
           std::span<const double>(ridge.coefficient.data(), static_cast<std::size_t>(ridge.coefficient.size())));
  file.add_strings("support_name", ridge.names);
  file.add("support_label_offset", std::span<const Index>(ridge.labels.offsets));
  file.add("support_label", std::span<const NodeId>(ridge.labels.nodes));
  object["ridge"] = kernel_object(ridge.kernel, ridge.support.width());
  return object;
}

json add_decisions(ArrayFileWriter& file, const LabelDecisions& decisions) {
  file.add("decision_frequency", std::span<const double>(decisions.frequency));
  file.add("decision_map_at", std::span<const double>(decisions.map.at));
  file.add("decision_map_value", std::span<const double>(decisions.map.value));
  return {{"trust", decisions.trust}};
}

json add_attributes(ArrayFileWriter& file, const ModelBody& model) {
  file.add("attribute_node", std::span<const NodeId>(model.attributes.nodes));
  file.add("attribute_offset", std::span<const Index>(model.attributes.offsets));
  file.add("attribute_index", std::span<const std::int32_t>(model.attributes.index));
  file.add("attribute_value", std::span<const double>(model.attributes.value));
  file.add("threshold", std::span<const double>(model.threshold));
  return {{"attributes", model.attributes.count}};
}

json add_conformal(ArrayFileWriter& file, const ConformalScores& scores) {
  file.add("conformal_complete", std::span<const float>(scores.complete));
  file.add("conformal_correct", std::span<const float>(scores.correct));
  file.add("conformal_own_share", std::span<const float>(scores.own_share));
  file.add("conformal_class", std::span<const NodeId>(scores.classes));
  file.add("conformal_own", std::span<const float>(scores.own));
  file.add("conformal_class_offset", std::span<const Index>(scores.class_offsets));
  return {{"cross", scores.way == ConformalOptions::Way::kCross},
          {"samples", scores.samples},
          {"several_labels", scores.has_several_labels}};
}

void write_checked(const ModelBody& model, Sink& sink) {
  ArrayFileWriter file;
  json description;
  description["writer"] = "Clade " CLADE_VERSION;
  description["classifier"] = model.classifier;
  description["kind"] = info_of(model.kind).name;
  description["features"] = model.features;
  description["feature_names"] = add_feature_names(file, model);
  description["unit_rows"] = model.has_unit_rows;
  description["probabilities"] = model.has_probabilities;
  description["multilabel"] = model.is_multilabel;
  description["samples"] = model.samples;
  if (!model.constant.empty()) description["constant"] = model.constant;
  description["taxonomy"] = add_taxonomy(file, *model.taxonomy);
  description["vectorizer"] = add_vectorizer(file, model);
  description["missing"] = add_replacement(file, model);
  add_pairs(file, "parameters", model.parameters);
  add_pairs(file, "summary", model.summary);
  file.add("level_weights", std::span<const double>(model.level_weights));
  if (model.kind == ModelKind::kClasses) description["classes"] = add_attributes(file, model);
  add_node_table(file, model.nodes);
  add_calibrations(file, model.nodes);
  add_linear(file, model.nodes, "");
  add_label_trees(file, model.nodes);
  if (model.doubt > 0) description["doubt"] = model.doubt;
  if (model.sigmoid) description["sigmoid"] = model.sigmoid->at;
  if (model.state) description["state"] = add_state(file, *model.state);
  if (model.kernel) description["kernel"] = add_kernel(file, *model.kernel);
  if (model.conformal) description["conformal"] = add_conformal(file, *model.conformal);
  file.add("node_threshold", std::span<const double>(model.node_threshold));
  if (model.decisions) description["decisions"] = add_decisions(file, *model.decisions);
  if (model.node_model) description["nodes"] = add_node_model(file, *model.node_model);
  file.write(std::move(description), sink);
}

}  // namespace

void write_model(const ModelBody& model, Sink& sink) {
  check_model(model, {});
  write_checked(model, sink);
}

void write_model(const ModelBody& model, const std::string& path, bool overwrite) {
  check_model(model, {.file = path});
  OutputFile file(path, overwrite);
  write_checked(model, file);
  file.commit();
}

}  // namespace clade
