#include "pipeline/other_taxonomy.h"

#include <algorithm>
#include <set>

#include "io/labels/labels.h"

namespace clade {

Dataset relabelled_by_name(const Dataset& data, const Taxonomy& taxonomy) {
  LabelSets sets;
  for (Index s = 0; s < data.samples(); ++s) {
    std::vector<NodeId> set;
    for (const NodeId label : data.labels(s)) {
      if (const auto node = taxonomy.find(data.taxonomy().name(label))) set.push_back(*node);
    }
    std::ranges::sort(set);
    keep_most_specific(set, taxonomy);
    sets.nodes.insert(sets.nodes.end(), set.begin(), set.end());
    sets.offsets.push_back(std::ssize(sets.nodes));
  }
  return data.relabelled(taxonomy, std::move(sets));
}

Taxonomy flattened(const Dataset& data) {
  const Taxonomy& taxonomy = data.taxonomy();
  std::set<NodeId> classes(taxonomy.leaves().begin(), taxonomy.leaves().end());
  for (Index s = 0; s < data.samples(); ++s) classes.insert(data.labels(s).begin(), data.labels(s).end());
  std::vector<std::string> names;
  for (const NodeId node : classes) names.push_back(taxonomy.name(node));
  return flat_taxonomy(names);
}

}  // namespace clade
