#include "induce/cluster_tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace clade {
namespace {

// The classes of a future inner node, and its place in the tree.
struct Group {
  std::vector<std::size_t> classes;
  std::size_t parent = 0;  // the number of a group
  std::string name;
  std::size_t children = 0;  // groups only
};

class TreeMaker {
 public:
  TreeMaker(const Dendrogram& dendrogram, const std::vector<std::string>& without_samples, bool strict)
      : dendrogram_(dendrogram), strict_(strict), names_(dendrogram.classes) {
    names_.insert(names_.end(), without_samples.begin(), without_samples.end());
    Group root{.classes = std::vector<std::size_t>(names_.size()), .parent = 0, .name = "root", .children = 0};
    for (std::size_t k = 0; k < names_.size(); ++k) root.classes[k] = k;
    while (std::ranges::find(names_, root.name) != names_.end()) root.name = "new-" + root.name;
    const auto clashes = [&](const std::string& name) { return name.starts_with(prefix_); };
    while (std::ranges::any_of(names_, clashes)) prefix_ = "new-" + prefix_;
    groups_.push_back(std::move(root));
    group_of_.assign(names_.size(), 0);
  }

  ClusterTree make() {
    for (int level = 1; level < dendrogram_.levels; ++level) add_level(level);
    ClusterTree tree{.taxonomy = taxonomy(), .clusters = {}};
    for (std::size_t g = 1; g < groups_.size(); ++g) {
      ClassCluster cluster{.name = groups_[g].name, .parent = groups_[groups_[g].parent].name, .classes = {}};
      for (const std::size_t k : groups_[g].classes) cluster.classes.push_back(names_[k]);
      tree.clusters.push_back(std::move(cluster));
    }
    return tree;
  }

 private:
  void add_level(int level) {
    const std::vector<Index> cluster_of = clusters_at(dendrogram_, level);
    std::vector<std::vector<std::size_t>> clusters;
    for (std::size_t k = 0; k < names_.size(); ++k) {
      // A class without samples is a cluster of its own.
      const std::size_t cluster = k < cluster_of.size() ? static_cast<std::size_t>(cluster_of[k]) : clusters.size();
      if (cluster == clusters.size()) clusters.emplace_back();
      clusters[cluster].push_back(k);
    }
    for (std::vector<std::size_t>& classes : clusters) {
      const std::size_t parent = group_of_[classes.front()];
      if (strict_ || divides(classes, parent)) add_group(std::move(classes), parent);
    }
  }

  bool divides(const std::vector<std::size_t>& classes, std::size_t parent) const {
    return classes.size() > 1 && classes.size() < groups_[parent].classes.size() &&
           classes.size() < dendrogram_.classes.size();
  }

  void add_group(std::vector<std::size_t> classes, std::size_t parent) {
    const std::size_t number = ++groups_[parent].children;
    std::string name =
        parent == 0 ? fmt::format("{}{}", prefix_, number) : fmt::format("{}.{}", groups_[parent].name, number);
    for (const std::size_t k : classes) group_of_[k] = groups_.size();
    groups_.push_back({.classes = std::move(classes), .parent = parent, .name = std::move(name), .children = 0});
  }

  Taxonomy taxonomy() const {
    TaxonomyBuilder builder;
    for (const Group& group : groups_) builder.node(group.name);
    for (std::size_t g = 1; g < groups_.size(); ++g) builder.edge(groups_[groups_[g].parent].name, groups_[g].name);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      for (const std::size_t k : groups_[g].classes) {
        if (group_of_[k] == g) builder.edge(groups_[g].name, names_[k]);
      }
    }
    return builder.build();
  }

  const Dendrogram& dendrogram_;
  bool strict_;
  std::vector<std::string> names_;  // of all classes
  std::string prefix_ = "cluster-";
  std::vector<Group> groups_;          // the root first
  std::vector<std::size_t> group_of_;  // the lowest so far, for every class
};

}  // namespace

ClusterTree cluster_tree(const Dendrogram& dendrogram, const std::vector<std::string>& without_samples, bool strict) {
  return TreeMaker(dendrogram, without_samples, strict).make();
}

std::vector<Index> clusters_at(const Dendrogram& dendrogram, int level) {
  const auto q = std::ssize(dendrogram.classes);
  const int most_cuts = dendrogram.levels - 1 - level;
  // From the last merge down: a part takes the mark of the merge it is in where that one holds together.
  std::vector<Index> mark(dendrogram.classes.size() + dendrogram.merges.size());
  for (std::size_t k = 0; k < mark.size(); ++k) mark[k] = static_cast<Index>(k);
  for (auto m = std::ssize(dendrogram.merges) - 1; m >= 0; --m) {
    const Merge& merge = dendrogram.merges[static_cast<std::size_t>(m)];
    if (merge.cuts > most_cuts) continue;
    for (const Index part : {merge.first, merge.second}) {
      mark[static_cast<std::size_t>(part)] = mark[static_cast<std::size_t>(q + m)];
    }
  }
  std::vector<Index> number(mark.size(), -1);
  std::vector<Index> clusters;
  Index count = 0;
  for (Index k = 0; k < q; ++k) {
    Index& own = number[static_cast<std::size_t>(mark[static_cast<std::size_t>(k)])];
    if (own < 0) own = count++;
    clusters.push_back(own);
  }
  return clusters;
}

}  // namespace clade
