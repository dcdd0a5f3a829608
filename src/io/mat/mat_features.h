#pragma once

#include <clade/io.h>

#include <string>
#include <vector>

#include "io/mat/mat_arrays.h"
#include "io/parsed.h"

namespace clade {

// From MATLAB's arrays, which are column-major, to rows.

// A variable's first columns as a matrix, and what was found on the way.
struct MatRows {
  FeatureMatrix matrix;  // dense for kNumbers, sparse for kSparse
  Index missing_values = 0;
  Where first_missing;
  Index rounded = 0;  // 64-bit integers that are not exact as doubles
};

// The first `columns` columns of a numeric or sparse variable. Throws Error on an infinite value and if a sparse
// variable is inconsistent. Transposes in parallel, by blocks. `file` is for messages.
MatRows take_rows(const MatVariable& variable, Index columns, Precision precision, const std::string& file,
                  Context& ctx);

// One column as doubles; what a sparse variable does not store is 0. Checks a sparse variable as above.
std::vector<double> take_column(const MatVariable& variable, Index column, const std::string& file);

// Throws Error unless the column starts of a sparse variable ascend within its entries and the rows are in range.
void check_sparse(const MatVariable& variable, const std::string& file);

}  // namespace clade
