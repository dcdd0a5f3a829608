#pragma once

#include <clade/io.h>
#include <clade/types.h>

#include <functional>
#include <string_view>
#include <vector>

#include "io/input.h"

namespace clade {

// Walks a file with one line per sample, in their order, and calls visit(trimmed text, line number). Skips a first line
// that is the word `header`, and blank lines at the end. Throws Error (kInput) if there are not as many lines as
// samples; `what` ("folds") names the content.
void for_each_sample_line(const Input& input, Index samples, std::string_view what, std::string_view header,
                          const std::function<void(std::string_view, Index)>& visit);

// Reads the fold of every sample: one line per sample, in their order, with a whole number from 0 to 1,000,000; skips a
// first line that is the word "fold". The numbers that occur become 0, 1, ... in ascending order. Throws Error (kInput)
// with the line of what is wrong.
std::vector<Index> parse_folds(const Input& input, Index samples);

// Reads the weight of every sample: one line per sample, in their order, with a finite, non-negative number; skips a
// first line that is the word "weight". Throws Error (kInput) with the line of what is wrong, or if all are 0.
std::vector<double> parse_sample_weights(const Input& input, Index samples);

}  // namespace clade
