#pragma once

#include <clade/io.h>
#include <clade/types.h>

#include <vector>

#include "io/input.h"

namespace clade {

// Reads the weight of every sample: a line per sample, in their order, with a finite number that is not negative; a
// first line that is the word "weight" is skipped. Throws Error (kInput) with the line of what is wrong, or if all are
// 0.
std::vector<double> parse_sample_weights(const Input& input, Index samples);

}  // namespace clade
