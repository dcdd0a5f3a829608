#pragma once

#include <clade/io.h>

#include "io/matrix_market/matrix_market_header.h"
#include "io/parsed.h"

namespace clade {

// Reads the entries behind the header, on several threads, into `data.features`, with missing values counted and found;
// sparse for coordinates, dense for an array. Rows are samples unless `transposed`. Throws Error with line and column
// of what is wrong: a number out of range, an entry given twice, more or fewer entries than the header states, more
// samples than check_row_limit() grants.
void set_matrix_market_features(ParsedData& data, const Input& input, const MatrixMarketHeader& header, bool transposed,
                                Precision precision, Context& ctx);

}  // namespace clade
