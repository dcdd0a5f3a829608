#pragma once

#include <clade/context.h>
#include <clade/dataset.h>
#include <clade/error.h>
#include <clade/types.h>

#include <optional>

#include "io/csr_builder.h"

namespace clade {

// In a file that states its number of rows, empty rows cost no bytes, but they do cost memory for their offsets. So
// that a few bytes cannot claim gigabytes, a file may have a million rows, and beyond that one for every two of its
// bytes. Throws Error at `where` if it claims more.
void check_row_limit(Index rows, std::size_t file_bytes, const Where& where);

// What a matrix contains besides plain numbers.
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
