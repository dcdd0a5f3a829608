#pragma once

#include <clade/types.h>

#include <vector>

namespace clade {

// How well sets of features agree that were selected from different samples, corrected for chance (S. Nogueira, K.
// Sechidis, G. Brown, On the stability of feature selection algorithms, 2018): 1 if all are the same set, about 0 for
// sets drawn at random. There are at least two sets; no feature is twice in one. 1 if every set has all features.
double stability(const std::vector<std::vector<FeatureIndex>>& sets, Index features);

}  // namespace clade
