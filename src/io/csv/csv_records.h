#pragma once

#include <clade/context.h>

#include "io/columns/cell_table.h"
#include "io/csv/csv_layout.h"
#include "io/delimited.h"

namespace clade {

// The rows of a CSV file whose first row is known. Throws Error with the line of a row of another width.
CellTable csv_records(const DelimitedText& text, const CsvLayout& layout, Context& ctx);

}  // namespace clade
