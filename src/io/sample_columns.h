#pragma once

#include <clade/io.h>
#include <clade/types.h>

#include <functional>
#include <string_view>
#include <vector>

#include "io/input.h"

namespace clade {

// Walks a file with a line per sample, in their order: visit(trimmed text, number of the line). A first line that is
// the word `header` is skipped, and so are blank lines at the end. Throws Error (kInput) if there are not as many lines
// as samples; `what` ("folds") names the content.
void for_each_sample_line(const Input& input, Index samples, std::string_view what, std::string_view header,
                          const std::function<void(std::string_view, Index)>& visit);

// Reads the fold of every sample: a line per sample, in their order, with a whole number from 0 to 1,000,000; a first
// line that is the word "fold" is skipped. The numbers that occur become 0, 1, ... in ascending order. Throws Error
// (kInput) with the line of what is wrong.
std::vector<Index> parse_folds(const Input& input, Index samples);

// Reads the weight of every sample: a line per sample, in their order, with a finite number that is not negative; a
// first line that is the word "weight" is skipped. Throws Error (kInput) with the line of what is wrong, or if all are
// 0.
std::vector<double> parse_sample_weights(const Input& input, Index samples);

}  // namespace clade
