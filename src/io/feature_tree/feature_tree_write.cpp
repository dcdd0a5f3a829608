#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/compress.h"
#include "io/feature_tree/feature_tree_file.h"
#include "io/taxonomy/json_tokens.h"

namespace clade {
namespace {

constexpr int kDeepestIndent = 40;

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// A number or a truth value as it is, all else as a text.
std::string scalar(const std::string& text) {
  const nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
  return value.is_number() || value.is_boolean() ? text : quoted(text);
}

template <class Items, class Text>
std::string joined(const Items& items, Text&& text) {
  std::string list;
  for (const auto& item : items) list += (list.empty() ? "" : ", ") + text(item);
  return list;
}

std::string head(const FeatureHierarchy& hierarchy) {
  std::string text = "{\"kind\": \"feature-tree\",\n";
  if (!hierarchy.method.empty()) text += fmt::format(" \"method\": {},\n", quoted(hierarchy.method));
  if (!hierarchy.parameters.empty()) {
    text += fmt::format(" \"parameters\": {{{}}},\n", joined(hierarchy.parameters, [](const auto& parameter) {
                          return quoted(parameter.first) + ": " + scalar(parameter.second);
                        }));
  }
  if (!hierarchy.notes.empty()) text += fmt::format(" \"notes\": [{}],\n", joined(hierarchy.notes, quoted));
  text += hierarchy.feature_names.empty()
              ? fmt::format(" \"features\": {},\n", hierarchy.tree.features())
              : fmt::format(" \"features\": [{}],\n", joined(hierarchy.feature_names, quoted));
  return text + " \"tree\":\n";
}

void require_shallow(const FeatureTree& tree) {
  constexpr int kMost = static_cast<int>(JsonTokens::kDeepest) / 2 - 1;  // an object and a list per level
  if (tree.levels() > kMost) {
    throw usage_error(fmt::format("a feature tree of {} levels", tree.levels()),
                      fmt::format("expected at most {} to write", kMost));
  }
}

}  // namespace

void print_feature_tree(const FeatureHierarchy& hierarchy, Sink& sink) {
  const FeatureTree& tree = hierarchy.tree;
  require_shallow(tree);
  sink.write(head(hierarchy));
  for (NodeId node = 0; node < tree.size(); ++node) {
    const int depth = tree.depth(node);
    std::string line(static_cast<std::size_t>(1 + std::min(depth, kDeepestIndent)), ' ');
    line += fmt::format("{{\"name\": {}", quoted(tree.name(node)));
    const auto own = tree.own_features(node);
    if (!own.empty()) line += fmt::format(", \"features\": [{}]", fmt::join(own, ", "));
    line += tree.children(node).empty() ? "}" : ", \"children\": [";
    // The next node is the first child, or closes all nodes that are not its parents.
    const int next_depth = node + 1 < tree.size() ? tree.depth(node + 1) : 0;
    for (int open = depth; open > next_depth; --open) line += "]}";
    if (node + 1 < tree.size() && next_depth <= depth) line += ',';
    sink.write(line + "\n");
  }
  sink.write("}\n");
}

void write_feature_tree(const FeatureHierarchy& hierarchy, const std::string& path, bool overwrite) {
  OutputFile file(path, overwrite);
  write_through(file, [&](Sink& sink) { print_feature_tree(hierarchy, sink); });
  file.commit();
}

}  // namespace clade
