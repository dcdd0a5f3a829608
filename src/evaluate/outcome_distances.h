#pragma once

#include <clade/context.h>

#include <span>
#include <vector>

#include "evaluate/outcomes.h"

namespace clade {

// Distances between the true and the predicted labels of every outcome.
class OutcomeDistances {
 public:
  OutcomeDistances(const Outcomes& outcomes, Context& ctx);

  // Row by row: the distances of the first true label to all predicted ones, then those of the second, ...
  std::span<const int> of(Index outcome) const {
    const auto o = static_cast<std::size_t>(outcome);
    if (offsets_.empty()) return {distances_.data() + o, 1};
    return {distances_.data() + offsets_[o], static_cast<std::size_t>(offsets_[o + 1] - offsets_[o])};
  }

 private:
  std::vector<Index> offsets_;  // empty: outcomes are pairs
  std::vector<int> distances_;
};

}  // namespace clade
