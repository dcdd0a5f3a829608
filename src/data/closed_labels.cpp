#include "data/closed_labels.h"

#include <algorithm>

namespace clade {

ClosedLabels closed_labels(const Dataset& data, std::span<const double> weight, MiscellaneousLeaves leaves) {
  const Taxonomy& taxonomy = data.taxonomy();
  ClosedLabels result;
  std::vector<double> sum(static_cast<std::size_t>(taxonomy.size()), 0);
  std::vector<char> has_samples(sum.size(), 0);
  std::vector<std::vector<NodeId>> members(static_cast<std::size_t>(data.samples()));
  double total = 0;
  for (Index s = 0; s < data.samples(); ++s) {
    std::vector<NodeId>& own = members[static_cast<std::size_t>(s)];
    for (const NodeId label : data.labels(s)) {
      if (leaves == MiscellaneousLeaves::kKept || !taxonomy.is_miscellaneous(label)) own.push_back(label);
      const std::vector<NodeId> above = taxonomy.ancestors(label);
      own.insert(own.end(), above.begin(), above.end());
    }
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    std::erase(own, taxonomy.root());
    const double mass = weight.empty() ? 1 : weight[static_cast<std::size_t>(s)];
    total += mass;
    for (const NodeId node : own) {
      sum[static_cast<std::size_t>(node)] += mass;
      has_samples[static_cast<std::size_t>(node)] = 1;
    }
  }
  std::vector<std::int32_t> column(sum.size(), -1);
  for (NodeId node = 1; node < taxonomy.size(); ++node) {
    if (has_samples[static_cast<std::size_t>(node)] == 0) continue;
    column[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(result.nodes.size());
    result.nodes.push_back(node);
    result.frequency.push_back(sum[static_cast<std::size_t>(node)] / total);
  }
  for (const std::vector<NodeId>& own : members) {
    for (const NodeId node : own) result.members.columns.push_back(column[static_cast<std::size_t>(node)]);
    result.members.offsets.push_back(std::ssize(result.members.columns));
  }
  return result;
}

ClosedLabels labels_of(const ClosedLabels& labels, std::span<const Index> some) {
  ClosedLabels result{labels.nodes, {}, labels.frequency};
  for (const Index s : some) {
    const auto own = labels.members.of(s);
    result.members.columns.insert(result.members.columns.end(), own.begin(), own.end());
    result.members.offsets.push_back(std::ssize(result.members.columns));
  }
  return result;
}

}  // namespace clade
