#pragma once

#include <clade/io.h>

#include <string>
#include <string_view>

#include "io/input.h"

namespace clade {

// The text of a small file (labels, names) as UTF-8, without a byte order mark. `owned` keeps it where it had to be
// converted from Latin-1. Throws Error with the line of the first byte that is not UTF-8.
std::string_view utf8_text(const Input& input, Encoding encoding, std::string& owned);

}  // namespace clade
