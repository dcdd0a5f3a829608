#include "report/page/label_pairs.h"

#include <algorithm>
#include <map>
#include <utility>

namespace clade {

std::vector<LabelPair> label_pairs(const JudgedSamples& judged, const std::vector<WrongLabel>& wrong) {
  std::map<std::pair<NodeId, NodeId>, LabelPair> pairs;
  const auto add = [&](NodeId truth, NodeId predicted, int distance) {
    LabelPair& pair = pairs.try_emplace({truth, predicted}, LabelPair{truth, predicted, distance, 0}).first->second;
    ++pair.count;
  };
  for (Index s = 0; s < judged.truth.samples(); ++s) {
    const auto truth = judged.truth.of(s);
    for (const NodeId label : judged.predicted.of(s)) {
      if (std::ranges::find(truth, label) != truth.end()) add(label, label, 0);
    }
  }
  for (const WrongLabel& one : wrong) add(one.truth, one.predicted, one.distance);
  std::vector<LabelPair> result;
  result.reserve(pairs.size());
  for (const auto& [labels, pair] : pairs) result.push_back(pair);
  return result;
}

}  // namespace clade
