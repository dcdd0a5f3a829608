#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/parameters.h>

#include "comm/even_blocks.h"

namespace clade {

inline constexpr Choice<Scale> kScaleWords[] = {{Scale::kAuto, "auto"},
                                                {Scale::kNone, "none"},
                                                {Scale::kStandard, "standard"},
                                                {Scale::kMinMax, "minmax"},
                                                {Scale::kUnit, "unit"}};

// The data with scaled features, in double precision; with `bias`, also a feature that is always 1.
Dataset scaled(const Dataset& data, Scale scale, bool bias);
// The same where processes have blocks of the samples, each its own in `data`. All processes call it.
Dataset scaled(const Dataset& data, Scale scale, bool bias, const EvenBlocks& blocks);

// What kAuto stands for where samples are compared without labels: kUnit for data that hardly have values other than 0,
// kStandard for others whose features have ranges that differ tenfold (the tenth largest and smallest of them left
// out), else kNone.
Scale comparable_scale(const Dataset& data);
Scale comparable_scale(const Dataset& data, const EvenBlocks& blocks);

// Are the values sparse, or stored as dense but hardly ever other than 0, as counts of words and marks are? The first
// samples tell.
bool has_few_values(const Dataset& data);

}  // namespace clade
