#pragma once

#include <clade/io.h>

#include <string>
#include <vector>

#include "io/parsed.h"

namespace clade {

// What was read from several files, as if it had been read from one. Lines of its labels are counted on from file to
// file, kLinesOfFile each. Throws Error (kInput) that names the file whose columns, names or hierarchy are not those of
// the first.
ParsedData join_parsed(const std::vector<std::string>& paths, std::vector<ParsedData> files, const ReadOptions& options,
                       Context& ctx);

constexpr Index kLinesOfFile = Index{1} << 40;  // more than any has

}  // namespace clade
