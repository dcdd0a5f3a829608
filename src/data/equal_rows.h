#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <vector>

namespace clade {

// For each sample, the first sample with the same features: itself, if no earlier one has them. Zeros are equal whether
// they are stored or not, and a missing value equals a missing one. O(values) time, O(samples) memory.
std::vector<Index> first_equal_rows(const Dataset& data, Context& ctx);

}  // namespace clade
