#pragma once

#include <string>
#include <string_view>

namespace clade {

// "1.5 GiB"
std::string bytes_text(double bytes);
// "4G", "512M" or plain bytes. Throws Error (kInput).
double parse_bytes(std::string_view text);
// Four fifths of this machine's memory.
double default_memory_limit();

}  // namespace clade
