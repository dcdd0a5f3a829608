#include "report/page/feature_shape.h"

#include <clade/error.h>
#include <clade/feature_tree.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace clade {
namespace {

constexpr std::size_t kMostGroups = 16;
constexpr std::string_view kNoGroup = "(no group)";

// The groups that cut the tree at a depth: those of that depth, and those above it without children.
std::vector<NodeId> groups_at(const FeatureTree& tree, int depth) {
  std::vector<NodeId> groups;
  for (NodeId group = 1; group < tree.size(); ++group) {
    if (tree.depth(group) == depth || (tree.depth(group) < depth && tree.children(group).empty())) {
      groups.push_back(group);
    }
  }
  return groups;
}

void set_groups(const FeatureTree& tree, FeatureShape& shape) {
  std::vector<NodeId> chosen;
  for (int depth = 1; depth < tree.levels(); ++depth) {
    const std::vector<NodeId> groups = groups_at(tree, depth);
    if (groups.size() > kMostGroups && !chosen.empty()) break;
    chosen = groups;
  }
  if (chosen.empty()) return;
  const auto largest = [&](NodeId group) { return std::pair(-tree.count(group), group); };
  if (chosen.size() > kMostGroups) {
    std::ranges::sort(chosen, {}, largest);
    chosen.resize(kMostGroups - 1);
    std::ranges::sort(chosen);
  }
  constexpr Index kNone = -1;
  shape.group_of.assign(static_cast<std::size_t>(tree.features()), kNone);
  for (const NodeId group : chosen) {
    for (const FeatureIndex f : tree.features_of(group)) {
      shape.group_of[static_cast<std::size_t>(f)] = std::ssize(shape.groups);
    }
    shape.groups.push_back(tree.name(group));
  }
  // Features of groups above the cut, of small groups beside many, and of none.
  const auto others = std::ssize(shape.groups);
  if (std::ranges::find(shape.group_of, kNone) != shape.group_of.end()) shape.groups.emplace_back(kNoGroup);
  std::ranges::replace(shape.group_of, kNone, others);
}

Index tree_number(const FeatureHierarchy& hierarchy, std::string_view name) {
  for (const auto& [key, value] : hierarchy.parameters) {
    if (key == name) return std::atoll(value.c_str());
  }
  return 0;
}

PixelOrder order_of(const FeatureHierarchy& hierarchy) {
  const bool by_rows = std::ranges::find(hierarchy.parameters, std::pair<std::string, std::string>("pixels", "rows")) !=
                       hierarchy.parameters.end();
  return by_rows ? PixelOrder::kRows : PixelOrder::kColumns;
}

// Fills in the side that was not given.
FeatureShape::Image checked_image(FeatureShape::Image image, Index features) {
  if (image.height == 0 && image.width == 0) {
    image.height = image.width = std::lround(std::sqrt(static_cast<double>(features)));
  }
  if (image.height == 0) image.height = features / image.width;
  if (image.width == 0) image.width = features / image.height;
  if (image.height > features || image.width > features || image.height * image.width != features) {
    throw usage_error(fmt::format("{} features are no image of {} x {} pixels", features, image.height, image.width),
                      "expected `height` and `width` whose product is the number of features");
  }
  return image;
}

}  // namespace

FeatureShape feature_shape(const ModelPageOptions& options, const Dataset& data, Context& ctx) {
  FeatureShape shape;
  if (!options.feature_tree.empty()) {
    const FeatureHierarchy hierarchy = read_feature_tree(options.feature_tree, data, ctx);
    shape.notes = hierarchy.notes;
    set_groups(hierarchy.tree, shape);
    if (hierarchy.method == "spatial") {
      shape.image = checked_image(
          {tree_number(hierarchy, "height"), tree_number(hierarchy, "width"), order_of(hierarchy)}, data.features());
    }
  }
  if (options.height > 0 || options.width > 0) {
    shape.image = checked_image({options.height, options.width, options.pixels}, data.features());
  }
  return shape;
}

}  // namespace clade
