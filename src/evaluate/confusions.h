#pragma once

#include <clade/evaluate.h>

#include <vector>

#include "evaluate/outcomes.h"

namespace clade {

// Of the wrong labels of all outcomes, each beside the nearest true label of its sample (the one with the smaller id of
// two that are equally near), the `most` pairs that come first by count, and by count x distance; ties by the other,
// then by ids.
struct Confusions {
  std::vector<Confusion> most_frequent;
  std::vector<Confusion> most_costly;
};
Confusions find_confusions(const Outcomes& outcomes, const OutcomeDistances& distances, Index most, Context& ctx);

}  // namespace clade
