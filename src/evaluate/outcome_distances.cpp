#include "evaluate/outcome_distances.h"

namespace clade {

OutcomeDistances::OutcomeDistances(const Outcomes& outcomes, Context& ctx) {
  if (outcomes.are_pairs()) {
    distances_ = distances(outcomes.data.taxonomy(), outcomes.pairs, ctx);
    return;
  }
  std::vector<NodePair> pairs;
  offsets_.push_back(0);
  for (Index o = 0; o < outcomes.size(); ++o) {
    for (const NodeId y : outcomes.truth(o)) {
      for (const NodeId z : outcomes.predicted(o)) pairs.push_back({y, z});
    }
    offsets_.push_back(static_cast<Index>(pairs.size()));
  }
  distances_ = distances(outcomes.data.taxonomy(), pairs, ctx);
}

}  // namespace clade
