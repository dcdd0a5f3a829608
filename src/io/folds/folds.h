#pragma once

#include <clade/io.h>
#include <clade/types.h>

#include <vector>

#include "io/input.h"

namespace clade {

// Reads the fold of every sample: a line per sample, in their order, with a whole number from 0 to 1,000,000; a first
// line that is the word "fold" is skipped. The numbers that occur become 0, 1, ... in ascending order. Throws Error
// (kInput) with the line of what is wrong.
std::vector<Index> parse_folds(const Input& input, Index samples);

}  // namespace clade
