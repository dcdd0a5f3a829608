#pragma once

#include <clade/statistics.h>

#include <string_view>

namespace clade {

// Is a measure of this name better when it is higher or when it is lower? Losses, errors, times, TIE and the Brier
// score are better when lower: a word of the name (letters between other characters, in any case) is `tie` or `brier`,
// begins or ends with `loss` or `error`, or ends with `time` or `seconds`. Everything else is better when higher, and
// so is every other score of `clade evaluate`.
Better better_direction(std::string_view measure);

}  // namespace clade
