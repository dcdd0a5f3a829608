#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/parameters.h>

namespace clade {

inline constexpr Choice<Scale> kScaleWords[] = {
    {Scale::kNone, "none"}, {Scale::kStandard, "standard"}, {Scale::kMinMax, "minmax"}, {Scale::kUnit, "unit"}};

// The data with scaled features, in double precision; with `bias`, also a feature that is always 1.
Dataset scaled(const Dataset& data, Scale scale, bool bias);

}  // namespace clade
