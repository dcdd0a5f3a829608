#pragma once

#include <clade/context.h>
#include <clade/types.h>

#include <string>
#include <vector>

#include "io/input.h"

namespace clade {

// Reads the weight of every sample: a line per sample, in their order, with a finite number that is not negative; a
// first line that is the word "weight" is skipped. Throws Error (kInput) with the line of what is wrong, or if all are
// 0.
std::vector<double> read_sample_weights(const std::string& path, Index samples, Context& ctx);
std::vector<double> parse_sample_weights(const Input& input, Index samples);

}  // namespace clade
