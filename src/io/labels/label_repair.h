#pragma once

#include <string>
#include <vector>

#include "io/parsed.h"

namespace clade {

// Gives labels that were cut short their last letter back. Exports that cut a column at a fixed place leave a few
// `studen` among many `student`. A label is taken for such a remnant only if exactly one other label is it plus one
// letter, that one is whole itself, and it is at least twenty times as frequent: classes on purpose named like that (A
// and AB) are rarely so unequal. What was changed is counted in `notes`.
LabelNames with_last_letters(LabelNames labels, std::vector<std::string>& notes);

}  // namespace clade
