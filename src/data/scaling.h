#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/parameters.h>

namespace clade {

inline constexpr Choice<Scale> kScaleWords[] = {
    {Scale::kNone, "none"}, {Scale::kStandard, "standard"}, {Scale::kMinMax, "minmax"}, {Scale::kUnit, "unit"}};

// The data with scaled features, in double precision; with `bias`, also a feature that is always 1.
Dataset scaled(const Dataset& data, Scale scale, bool bias);

// Are the values sparse, or stored as dense but hardly ever other than 0, as counts of words and marks are? The first
// samples tell.
bool has_few_values(const Dataset& data);

}  // namespace clade
