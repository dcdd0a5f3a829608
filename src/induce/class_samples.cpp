#include "induce/class_samples.h"

namespace clade {

ClassSamples class_samples(const Dataset& data) {
  const Taxonomy& taxonomy = data.taxonomy();
  ClassSamples result;
  std::vector<Index> count(static_cast<std::size_t>(taxonomy.size()), 0);
  for (Index s = 0; s < data.samples(); ++s) {
    result.unlabelled += data.labels(s).empty() ? 1 : 0;
    for (const NodeId label : data.labels(s)) ++count[static_cast<std::size_t>(label)];
  }
  std::vector<Index> place(count.size(), 0);  // where the next sample of a node goes
  result.offsets.push_back(0);
  for (NodeId node = 0; node < taxonomy.size(); ++node) {
    const auto at = static_cast<std::size_t>(node);
    if (count[at] > 0) {
      place[at] = result.offsets.back();
      result.classes.push_back(node);
      result.offsets.push_back(result.offsets.back() + count[at]);
    } else if (taxonomy.is_leaf(node) && node != taxonomy.root()) {
      result.without_samples.push_back(node);
    }
  }
  result.samples.resize(static_cast<std::size_t>(result.offsets.back()));
  for (Index s = 0; s < data.samples(); ++s) {
    for (const NodeId label : data.labels(s)) {
      result.samples[static_cast<std::size_t>(place[static_cast<std::size_t>(label)]++)] = s;
    }
  }
  return result;
}

}  // namespace clade
