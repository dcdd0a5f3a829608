#pragma once

#include <clade/io.h>

#include "io/columns/cell_table.h"
#include "io/format.h"
#include "io/parsed.h"

namespace clade {

// Do the options, or the model that the data is read for, ask for columns of several kinds?
bool asks_for_columns(const ReadOptions& options);

// Turns a table of texts into features and labels: words of text columns, values of categories, numbers.
ParsedData read_records(const CellTable& records, const ReadOptions& options, std::vector<std::string> notes,
                        Context& ctx);

// Rows with a value that is no number (no date) in a column of numbers (of dates). Reading counts them as missing, or
// refuses them if the options name the column; with ReadOptions::skip_bad they are left out.
std::vector<BadRow> bad_records(const CellTable& records, const ReadOptions& options);

}  // namespace clade
