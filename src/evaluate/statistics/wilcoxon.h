#pragma once

#include <span>
#include <vector>

namespace clade {

// The differences that are not 0, ranked by magnitude, and the sums of the ranks by sign.
struct SignedRanks {
  std::vector<double> ranks;
  double positive = 0;
  double negative = 0;
};
SignedRanks signed_ranks(std::span<const double> differences);

}  // namespace clade
