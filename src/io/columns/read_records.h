#pragma once

#include <clade/io.h>

#include "io/columns/cell_table.h"
#include "io/parsed.h"

namespace clade {

// Do the options, or the model that the data is read for, ask for columns of several kinds?
bool asks_for_columns(const ReadOptions& options);

// Turns a table of texts into features and labels: words of text columns, values of categories, numbers.
ParsedData read_records(const CellTable& records, const ReadOptions& options, std::vector<std::string> notes,
                        Context& ctx);

}  // namespace clade
