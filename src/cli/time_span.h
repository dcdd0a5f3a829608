#pragma once

#include <string>
#include <string_view>

namespace clade::cli {

// The seconds of a flag that takes a time: "90", "90s", "2min", "1h". Throws Error (kInput).
double seconds_of(std::string_view flag, const std::string& text);

}  // namespace clade::cli
