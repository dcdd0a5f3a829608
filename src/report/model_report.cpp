#include "report/model_report.h"

#include <clade/conformal.h>
#include <clade/summary.h>
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "classify/kernel_expansion.h"
#include "classify/label_tree.h"
#include "classify/model_body.h"
#include "classify/model_kinds.h"
#include "model/model_file.h"
#include "report/data_report.h"
#include "report/json_text.h"
#include "report/text_table.h"

namespace clade {
namespace {

using nlohmann::json;

constexpr std::size_t kNodesShown = 10;

Index weights_of(const NodeClassifier& node) {
  if (node.tree) return node.tree->weights;
  return std::visit([](auto values) { return static_cast<Index>(values.size()); }, node.linear.weights);
}

// Totals over all nodes.
struct Totals {
  Index weights = 0;
  Index outputs = 0;
  Index calibrated = 0;  // nodes
  Index single = 0;      // nodes with one child, which need no weights
  bool has_doubles = false;
};

Totals totals_of(const ModelBody& model) {
  Totals totals;
  for (const NodeClassifier& node : model.nodes) {
    totals.weights += weights_of(node);
    totals.outputs += node.tree ? Index{node.tree->offsets.back()} : node.linear.count;
    totals.calibrated += node.calibration.empty() ? 0 : 1;
    totals.single += node.children.size() == 1 ? 1 : 0;
    totals.has_doubles = totals.has_doubles || (node.linear.weights.index() == 1 && weights_of(node) > 0);
  }
  return totals;
}

std::vector<const NodeClassifier*> largest_nodes(const ModelBody& model) {
  std::vector<const NodeClassifier*> nodes;
  for (const NodeClassifier& node : model.nodes) nodes.push_back(&node);
  std::ranges::sort(nodes, {}, [](const NodeClassifier* n) { return std::pair(-weights_of(*n), n->node); });
  nodes.resize(std::min(nodes.size(), kNodesShown));
  return nodes;
}

std::string size_text(Index bytes) {
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  if (bytes < 1'000'000) return fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

Index miscellaneous_leaves(const Taxonomy& taxonomy) {
  const auto leaves = taxonomy.leaves();
  return std::count_if(leaves.begin(), leaves.end(), [&](NodeId leaf) { return taxonomy.is_miscellaneous(leaf); });
}

std::string hierarchy_text(const Taxonomy& taxonomy) {
  const TaxonomySummary s = summarise(taxonomy);
  std::string text = fmt::format("{}, {} nodes ({} internal, {} leaves), {} levels", s.tree ? "tree" : "DAG",
                                 grouped(s.nodes), grouped(s.internal), grouped(s.leaves), s.levels);
  if (s.virtual_root) text += "; virtual root";
  if (const Index count = miscellaneous_leaves(taxonomy); count > 0) {
    text += fmt::format("; {} miscellaneous leaves", grouped(count));
  }
  return text;
}

std::string features_text(const ModelBody& model) {
  std::string text = grouped(model.features);
  if (model.vectorizer && model.vectorizer->options.sequences) {
    text = fmt::format("symbols of {} sequences", grouped(model.vectorizer->documents));
  } else if (model.vectorizer && model.vectorizer->words.empty() && model.vectorizer->options.hash_bits == 0) {
    text += fmt::format(", columns of a table of {} rows", grouped(model.vectorizer->documents));
  } else if (model.vectorizer) {
    text += fmt::format(", {}words of {} documents", model.vectorizer->options.hash_bits > 0 ? "hashed " : "",
                        grouped(model.vectorizer->documents));
  } else if (!model.feature_names.empty()) {
    text += ", named";
  }
  if (model.has_unit_rows) text += "; samples are scaled to length 1";
  return text;
}

std::string weights_text(const ModelBody& model) {
  if (model.node_model) return node_model_text(model);
  if (model.kernel) {
    return fmt::format("{} of {} training samples", grouped(std::ssize(model.kernel->values)),
                       grouped(std::ssize(model.kernel->offsets) - 1));
  }
  const Totals totals = totals_of(model);
  std::string text = fmt::format("{} {} for {} outputs", grouped(totals.weights),
                                 totals.has_doubles ? "doubles" : "floats", grouped(totals.outputs));
  if (info_of(model.kind).decides_at_nodes) text += fmt::format(" at {} nodes", grouped(std::ssize(model.nodes)));
  if (totals.single > 0) text += fmt::format(", {} with one child", grouped(totals.single));
  if (totals.calibrated > 0) text += fmt::format("; {} nodes calibrated", grouped(totals.calibrated));
  return text;
}

std::string_view way_name(const ConformalInfo& info) {
  return info.way == ConformalOptions::Way::kCross ? "cross" : "split";
}

std::string conformal_text(const Model& model) {
  const auto info = conformal_info(model);
  if (!info) return {};
  return fmt::format("  conformal   {}, {} calibration samples{}\n", way_name(*info), grouped(info->samples),
                     info->by_class ? ", by class" : "");
}

json conformal_json(const Model& model) {
  const auto info = conformal_info(model);
  if (!info) return nullptr;
  return {{"way", way_name(*info)}, {"samples", info->samples}, {"by_class", info->by_class}};
}

std::string pairs_text(std::string_view title, const std::vector<std::pair<std::string, std::string>>& pairs) {
  if (pairs.empty()) return {};
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, value] : pairs) rows.push_back({name, value});
  return fmt::format("\n{}\n", title) + aligned_table(rows, 2);
}

std::string nodes_text(const ModelBody& model) {
  if (model.nodes.empty() || model.kernel) return {};
  std::vector<std::vector<std::string>> rows{{"", "children", "samples", "features", "weights"}};
  for (const NodeClassifier* node : largest_nodes(model)) {
    rows.push_back({model.taxonomy->name(node->node), grouped(std::ssize(node->children)), grouped(node->samples),
                    grouped(std::ssize(node->linear.features)), grouped(weights_of(*node))});
  }
  return "\nnodes with most weights\n" + aligned_table(rows, 1);
}

json object_of(const std::vector<std::pair<std::string, std::string>>& pairs) {
  json object = json::object();
  for (const auto& [name, value] : pairs) object[name] = value;
  return object;
}

json hierarchy_json(const Taxonomy& taxonomy) {
  json document = taxonomy_json(summarise(taxonomy));
  document["miscellaneous_leaves"] = miscellaneous_leaves(taxonomy);
  return document;
}

json nodes_json(const ModelBody& model) {
  json list = json::array();
  for (const NodeClassifier* node : largest_nodes(model)) {
    list.push_back({{"node", model.taxonomy->name(node->node)},
                    {"children", node->children.size()},
                    {"samples", node->samples},
                    {"features", node->linear.features.size()},
                    {"weights", weights_of(*node)}});
  }
  return list;
}

}  // namespace

Model read_verified_model(const std::string& path) {
  return Model(std::make_shared<const ModelBody>(read_whole_model(path)));
}

std::string model_text(const Model& handle, const std::string& name, Index file_bytes) {
  const ModelBody& model = handle.body();
  std::string text = fmt::format("{} (model)\n", name);
  text += fmt::format("  classifier  {}\n", model.classifier);
  text += fmt::format("  hierarchy   {}\n", hierarchy_text(*model.taxonomy));
  text += fmt::format("  features    {}\n", features_text(model));
  text += fmt::format("  trained on  {} samples{}{}\n", grouped(model.samples),
                      model.is_multilabel ? " of several labels" : "",
                      model.seconds > 0 ? fmt::format(" in {:.3g} s", model.seconds) : "");
  text += fmt::format("  weights     {}\n", weights_text(model));
  text += conformal_text(handle);
  if (file_bytes > 0) text += fmt::format("  file        {}\n", size_text(file_bytes));
  return text + pairs_text("parameters", model.parameters) + pairs_text("training", model.summary) + nodes_text(model);
}

std::string model_json(const Model& model, Index file_bytes) {
  return json_text(model_document(model, file_bytes));
}

nlohmann::json model_document(const Model& handle, Index file_bytes) {
  const ModelBody& model = handle.body();
  const Totals totals = totals_of(model);
  return {{"format", "model"},
          {"classifier", model.classifier},
          {"parameters", object_of(model.parameters)},
          {"prediction", info_of(model.kind).name},
          {"taxonomy", hierarchy_json(*model.taxonomy)},
          {"features", model.features},
          {"named_features", !model.feature_names.empty()},
          {"vectorizer", model.vectorizer != nullptr},
          {"unit_rows", model.has_unit_rows},
          {"multilabel", model.is_multilabel},
          {"conformal", conformal_json(handle)},
          {"samples", model.samples},
          {"seconds", model.seconds > 0 ? json(model.seconds) : json(nullptr)},
          {"trained_nodes", model.nodes.size()},
          {"calibrated_nodes", totals.calibrated},
          {"outputs", totals.outputs},
          {"weights", totals.weights},
          {"file_bytes", file_bytes},
          {"summary", object_of(model.summary)},
          {"largest_nodes", nodes_json(model)}};
}

}  // namespace clade
