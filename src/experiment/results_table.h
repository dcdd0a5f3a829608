#pragma once

#include <clade/compare.h>

#include <string_view>

#include "io/input.h"

namespace clade {

// parse_results_table() for bytes already in memory.
ResultsTable parse_results_table(const Input& input, std::string_view metric);

}  // namespace clade
