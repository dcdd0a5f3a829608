#pragma once

#include <clade/io.h>

#include <string>
#include <vector>

#include "io/format.h"
#include "io/parsed.h"

namespace clade {

// What all formats share: the hierarchy, labels, storage and missing values of what was read from `name`.
LoadedData completed(ParsedData parsed, const DataFormat& format, const std::string& name, const ReadOptions& options,
                     std::vector<std::string> notes, Context& ctx);

}  // namespace clade
