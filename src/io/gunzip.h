#pragma once

#include <string>
#include <string_view>

#include "io/growing_bytes.h"

namespace clade {

class Context;

// The content of a gzip file, one member after the other. Unlike libarchive, zlib checks every member's CRC and length,
// so damage does not pass unnoticed. Throws Error (kInput) for a damaged or truncated file; `check_size` may throw when
// the content has grown too large.
GrowingBytes gunzip(const std::string& name, std::string_view compressed,
                    void (*check_size)(const std::string&, const GrowingBytes&), Context& ctx);

}  // namespace clade
