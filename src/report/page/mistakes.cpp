#include "report/page/mistakes.h"

#include <algorithm>

#include "evaluate/node_distance.h"

namespace clade {
namespace {

bool is_at_or_above(const Taxonomy& taxonomy, NodeId above, NodeId below) {
  return above == below || taxonomy.is_ancestor(above, below);
}

bool share_top_branch(const Taxonomy& taxonomy, NodeId a, NodeId b) {
  return std::ranges::any_of(taxonomy.lowest_common_ancestors(a, b),
                             [&](NodeId common) { return common != taxonomy.root(); });
}

bool stays_below_parent(const Taxonomy& taxonomy, const WrongLabel& wrong) {
  return std::ranges::any_of(taxonomy.parents(wrong.truth), [&](NodeId parent) {
    return parent != taxonomy.root() && is_at_or_above(taxonomy, parent, wrong.predicted);
  });
}

}  // namespace

std::vector<WrongLabel> wrong_labels(const JudgedSamples& judged, const Taxonomy& taxonomy, Context& ctx) {
  std::vector<WrongLabel> candidates;
  std::vector<NodePair> pairs;
  for (Index s = 0; s < judged.truth.samples(); ++s) {
    const auto truth = judged.truth.of(s);
    for (const NodeId predicted : judged.predicted.of(s)) {
      if (std::ranges::find(truth, predicted) != truth.end()) continue;
      for (const NodeId label : truth) {
        candidates.push_back({s, label, predicted, 0});
        pairs.push_back({label, predicted});
      }
    }
  }
  const std::vector<int> edges = distances(taxonomy, pairs, ctx);
  std::vector<WrongLabel> result;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    WrongLabel& one = candidates[k];
    one.distance = edges[k];
    const bool is_same =
        !result.empty() && result.back().judged == one.judged && result.back().predicted == one.predicted;
    if (!is_same) {
      result.push_back(one);
    } else if (one.distance < result.back().distance) {
      result.back() = one;
    }
  }
  return result;
}

MistakeSummary summarise_mistakes(const std::vector<WrongLabel>& wrong, const Taxonomy& taxonomy) {
  MistakeSummary result;
  for (const WrongLabel& one : wrong) {
    ++result.count;
    result.above += taxonomy.is_ancestor(one.predicted, one.truth) ? 1 : 0;
    result.below_parent += stays_below_parent(taxonomy, one) ? 1 : 0;
    result.in_top_branch += share_top_branch(taxonomy, one.truth, one.predicted) ? 1 : 0;
    const auto distance = static_cast<std::size_t>(one.distance);
    if (result.by_distance.size() <= distance) result.by_distance.resize(distance + 1, 0);
    ++result.by_distance[distance];
  }
  return result;
}

}  // namespace clade
