#include "report/feature_tree_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/json_text.h"
#include "report/text_table.h"

namespace clade {
namespace {

using nlohmann::json;

constexpr std::size_t kShownLevels = 40;

// The groups at one depth.
struct Level {
  Index groups = 0;
  Index features = 0;
  NodeId largest = kNoNode;  // the first of equals
};

// The levels below the root, nearest first.
std::vector<Level> levels_of(const FeatureTree& tree) {
  std::vector<Level> levels(static_cast<std::size_t>(tree.levels() - 1));
  for (NodeId node = 1; node < tree.size(); ++node) {
    Level& level = levels[static_cast<std::size_t>(tree.depth(node) - 1)];
    ++level.groups;
    level.features += tree.count(node);
    if (level.largest == kNoNode || tree.count(node) > tree.count(level.largest)) level.largest = node;
  }
  return levels;
}

}  // namespace

std::string feature_tree_text(const FeatureHierarchy& hierarchy) {
  const FeatureTree& tree = hierarchy.tree;
  const auto features = static_cast<std::size_t>(tree.features());
  std::string text = fmt::format("feature tree of {}, {}{}\n", counted(features, "feature"),
                                 counted(static_cast<std::size_t>(tree.size() - 1), "group"),
                                 hierarchy.method.empty() ? "" : fmt::format(", by {}", hierarchy.method));
  text +=
      fmt::format("{} with the root; {} directly below it\n", counted(static_cast<std::size_t>(tree.levels()), "level"),
                  counted(tree.own_features(0).size(), "feature"));
  std::vector<std::vector<std::string>> rows{{"level", "groups", "features", "largest group"}};
  const std::vector<Level> levels = levels_of(tree);
  for (std::size_t k = 0; k < std::min(levels.size(), kShownLevels); ++k) {
    const Level& level = levels[k];
    rows.push_back({std::to_string(k + 1), std::to_string(level.groups), std::to_string(level.features),
                    fmt::format("{}: {}", tree.name(level.largest), tree.count(level.largest))});
  }
  if (!levels.empty()) text += "\n" + aligned_table(rows, 0, 3);
  if (levels.size() > kShownLevels) text += fmt::format("  ... {} more levels\n", levels.size() - kShownLevels);
  return text;
}

std::string feature_tree_json(const FeatureHierarchy& hierarchy, const std::string& file) {
  const FeatureTree& tree = hierarchy.tree;
  json per_level = json::array();
  for (const Level& level : levels_of(tree)) {
    per_level.push_back({{"level", per_level.size() + 1},
                         {"groups", level.groups},
                         {"features", level.features},
                         {"largest", {{"name", tree.name(level.largest)}, {"features", tree.count(level.largest)}}}});
  }
  json document{{"kind", "feature-tree"},
                {"method", hierarchy.method.empty() ? json(nullptr) : json(hierarchy.method)},
                {"parameters", parameter_values(hierarchy.parameters)},
                {"features", tree.features()},
                {"groups", tree.size() - 1},
                {"levels", tree.levels()},
                {"below_root", tree.own_features(0).size()},
                {"per_level", std::move(per_level)},
                {"notes", hierarchy.notes}};
  if (!file.empty()) document["file"] = file;
  return json_text(document);
}

}  // namespace clade
