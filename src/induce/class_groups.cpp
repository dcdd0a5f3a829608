#include "induce/class_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace clade {

ClassGroups::ClassGroups(std::vector<std::string> class_names)
    : names_(std::move(class_names)), group_of_(names_.size(), 0) {
  Group root{.classes = std::vector<std::size_t>(names_.size()), .parent = 0, .name = "root", .children = 0};
  for (std::size_t k = 0; k < names_.size(); ++k) root.classes[k] = k;
  while (std::ranges::find(names_, root.name) != names_.end()) root.name = "new-" + root.name;
  const auto clashes = [&](const std::string& name) { return name.starts_with(prefix_); };
  while (std::ranges::any_of(names_, clashes)) prefix_ = "new-" + prefix_;
  groups_.push_back(std::move(root));
}

std::size_t ClassGroups::add(std::vector<std::size_t> classes, std::size_t parent, std::string name) {
  const std::size_t number = ++groups_[parent].children;
  if (name.empty()) {
    name = parent == 0 ? fmt::format("{}{}", prefix_, number) : fmt::format("{}.{}", groups_[parent].name, number);
  }
  for (const std::size_t k : classes) group_of_[k] = groups_.size();
  groups_.push_back({.classes = std::move(classes), .parent = parent, .name = std::move(name), .children = 0});
  return groups_.size() - 1;
}

ClusterTree ClassGroups::tree() const {
  std::set<std::string> taken(names_.begin(), names_.end());
  std::vector<std::string> group_names;
  for (const Group& group : groups_) {
    std::string name = group.name;
    for (int k = 2; !taken.insert(name).second; ++k) name = fmt::format("{} {}", group.name, k);
    group_names.push_back(std::move(name));
  }
  TaxonomyBuilder builder;
  for (const std::string& name : group_names) builder.node(name);
  for (std::size_t g = 1; g < groups_.size(); ++g) builder.edge(group_names[groups_[g].parent], group_names[g]);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (const std::size_t k : groups_[g].classes) {
      if (group_of_[k] == g) builder.edge(group_names[g], names_[k]);
    }
  }
  ClusterTree tree{.taxonomy = builder.build(), .clusters = {}};
  for (std::size_t g = 1; g < groups_.size(); ++g) {
    ClassCluster cluster{.name = group_names[g], .parent = group_names[groups_[g].parent], .classes = {}};
    for (const std::size_t k : groups_[g].classes) cluster.classes.push_back(names_[k]);
    tree.clusters.push_back(std::move(cluster));
  }
  return tree;
}

}  // namespace clade
