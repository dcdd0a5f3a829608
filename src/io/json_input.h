#pragma once

#include <nlohmann/json.hpp>

#include "io/input.h"

namespace clade {

// Parses a whole file; throws Error with the line and column of a fault.
nlohmann::json parse_json(const Input& input);

}  // namespace clade
