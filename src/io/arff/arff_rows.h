#pragma once

#include "io/arff/arff_header.h"

namespace clade {

// Counts the rows of the data section chunk by chunk and parses them in parallel into `parsed`: features, labels and
// sample names. The matrix is sparse if any row is ({index value, ...}), or if columns of nominal attributes would make
// a dense one much larger than the file.
void read_arff_rows(const DelimitedText& text, const ArffHeader& header, const ReadOptions& options, ParsedData& parsed,
                    Context& ctx);

}  // namespace clade
