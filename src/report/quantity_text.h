#pragma once

#include <string>

namespace clade {

// Times and sizes that are estimates, with as many digits as those deserve: "3 ms", "12.5 s", "2 min"; "<1 MiB",
// "120 MiB", "1.5 GiB".
std::string time_text(double seconds);
std::string memory_text(double bytes);

}  // namespace clade
