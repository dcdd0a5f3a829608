#include "induce/cluster_tree.h"

#include "induce/class_groups.h"

namespace clade {
namespace {

class TreeMaker {
 public:
  TreeMaker(const Dendrogram& dendrogram, const std::vector<std::string>& without_samples, bool strict)
      : dendrogram_(dendrogram),
        strict_(strict),
        classes_(dendrogram.classes.size() + without_samples.size()),
        groups_(all_names(dendrogram.classes, without_samples)) {}

  ClusterTree make() {
    for (int level = 1; level < dendrogram_.levels; ++level) add_level(level);
    return groups_.tree();
  }

 private:
  static std::vector<std::string> all_names(std::vector<std::string> names, const std::vector<std::string>& more) {
    names.insert(names.end(), more.begin(), more.end());
    return names;
  }

  void add_level(int level) {
    const std::vector<Index> cluster_of = clusters_at(dendrogram_, level);
    std::vector<std::vector<std::size_t>> clusters;
    for (std::size_t k = 0; k < classes_; ++k) {
      // A class without samples is a cluster of its own.
      const std::size_t cluster = k < cluster_of.size() ? static_cast<std::size_t>(cluster_of[k]) : clusters.size();
      if (cluster == clusters.size()) clusters.emplace_back();
      clusters[cluster].push_back(k);
    }
    for (std::vector<std::size_t>& classes : clusters) {
      const std::size_t parent = groups_.group_of(classes.front());
      if (strict_ || divides(classes, parent)) groups_.add(std::move(classes), parent);
    }
  }

  bool divides(const std::vector<std::size_t>& classes, std::size_t parent) const {
    return classes.size() > 1 && classes.size() < groups_.classes(parent).size() &&
           classes.size() < dendrogram_.classes.size();
  }

  const Dendrogram& dendrogram_;
  bool strict_;
  std::size_t classes_;  // those without samples included
  ClassGroups groups_;
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
