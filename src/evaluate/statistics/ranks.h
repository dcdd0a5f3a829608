#pragma once

#include <clade/types.h>

#include <span>
#include <vector>

namespace clade {

// Positions of the values in ascending order, from 1; equal values share the mean of their positions.
std::vector<double> mean_ranks(std::span<const double> values);

// sum (t^3 - t) over the groups of t equal values, given their mean ranks; used to correct for ties.
double tie_sum(std::span<const double> mean_ranks);

}  // namespace clade
