#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <optional>

#include "io/csr_builder.h"

namespace clade {

// What stands among the values of a matrix besides plain numbers.
struct ValueScan {
  Index missing = 0;                  // NaN
  std::optional<Cell> first_missing;  // by row, then column
  std::optional<Cell> first_infinite;
};

template <class T>
ValueScan scan_values(const DenseMatrix<T>& matrix, Context& ctx);
template <class T>
ValueScan scan_values(const SparseMatrix<T>& matrix, Context& ctx);

}  // namespace clade
