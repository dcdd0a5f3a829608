#pragma once

#include <clade/types.h>

#include <functional>
#include <string_view>

#include "io/input.h"

namespace clade {

// Walks a file with a line per sample, in their order: visit(trimmed text, number of the line). A first line that is
// the word `header` is skipped, and so are blank lines at the end. Throws Error (kInput) if there are not as many lines
// as samples; `what` ("folds") names the content.
void for_each_sample_line(const Input& input, Index samples, std::string_view what, std::string_view header,
                          const std::function<void(std::string_view, Index)>& visit);

}  // namespace clade
