#pragma once

#include <clade/statistics.h>

#include <string_view>

namespace clade {

// Is a measure of this name better when it is higher or when it is lower? Losses, errors, times and TIE are better when
// lower: a word of the name (letters between other characters, in any case) is `tie`, begins or ends with `loss` or
// `error`, or ends with `time` or `seconds`. Everything else, so every score of `clade evaluate`, is better when
// higher.
Better better_direction(std::string_view measure);

}  // namespace clade
