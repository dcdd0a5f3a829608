#pragma once

#include <clade/evaluate.h>

#include <vector>

#include "evaluate/outcomes.h"

namespace clade {

// Pairs each wrong label of every outcome with the nearest true label of its sample (of two equally near ones, that
// with the smaller id). Keeps the first `most` pairs by count, and by count x distance; ties are broken by the other
// order, then by ids.
struct Confusions {
  std::vector<Confusion> most_frequent;
  std::vector<Confusion> most_costly;
};
Confusions find_confusions(const Outcomes& outcomes, const OutcomeDistances& distances, Index most, Context& ctx);

}  // namespace clade
