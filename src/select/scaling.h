#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

namespace clade {

enum class Scale {
  kNone,
  kStandard,  // every feature to mean 0 and variance 1 (population); constant features to 0
  kMinMax,    // every feature to [0, 1]; constant features to 0
  kUnit,      // every sample to length 1; sparse data stay sparse
};

// The data with scaled features, in double precision, and with `bias` a further feature that is always 1.
Dataset scaled(const Dataset& data, Scale scale, bool bias);

}  // namespace clade
