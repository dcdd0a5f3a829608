#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace clade {

// The library writes a parameter as `lambda`; for users of the command line, and in the files that it shares with
// others, it becomes a flag: --lambda.
std::string with_flags(std::string_view text);
std::vector<std::string> with_flags(std::vector<std::string> notes);

}  // namespace clade
