#pragma once

#include <clade/io.h>

#include <string>
#include <vector>

#include "comm/team.h"

namespace clade {

// Files of rows (DataFormat::read_rows) that several processes share: each reads some of them, or, where there are
// fewer files than processes, the rows of a range of one of them. What is told by labels is told by those of all, as
// for one process. All processes call it. Throws Error (kUsage) for what does not show in some of the rows.
LoadedData read_row_ranges(const std::vector<std::string>& paths, const ReadOptions& options, Team& team, Context& ctx);

}  // namespace clade
