#include "io/matrix_checks.h"

#include <fmt/format.h>

#include <cmath>

#include "core/parallel.h"

namespace clade {

void check_row_limit(Index rows, std::size_t file_bytes, const Where& where) {
  constexpr Index kFreeRows = 1'000'000;
  const Index limit = kFreeRows + static_cast<Index>(file_bytes / 2);
  if (rows > limit) {
    throw input_error(where, fmt::format("{} samples in a file of {} bytes", rows, file_bytes),
                      fmt::format("expected at most {}", limit));
  }
}

namespace {

constexpr Index kGrain = 512;  // rows

void note(ValueScan& scan, double value, Cell cell) {
  if (std::isnan(value)) {
    ++scan.missing;
    if (!scan.first_missing) scan.first_missing = cell;
  } else if (!scan.first_infinite) {
    scan.first_infinite = cell;
  }
}

void append(ValueScan& scan, const ValueScan& later) {
  scan.missing += later.missing;
  if (!scan.first_missing) scan.first_missing = later.first_missing;
  if (!scan.first_infinite) scan.first_infinite = later.first_infinite;
}

}  // namespace

template <class T>
ValueScan scan_values(const DenseMatrix<T>& matrix, Context& ctx) {
  const auto scan_rows = [&](Index first, Index last) {
    ValueScan scan;
    for (Index k = first * matrix.columns; k < last * matrix.columns; ++k) {
      if (!std::isfinite(matrix.values[k])) note(scan, matrix.values[k], {k / matrix.columns, k % matrix.columns});
    }
    return scan;
  };
  return parallel_reduce(ctx, matrix.rows, kGrain, ValueScan{}, scan_rows, append);
}

template <class T>
ValueScan scan_values(const SparseMatrix<T>& matrix, Context& ctx) {
  const auto scan_rows = [&](Index first, Index last) {
    ValueScan scan;
    for (Index r = first; r < last; ++r) {
      for (Index k = matrix.offsets[r]; k < matrix.offsets[r + 1]; ++k) {
        if (!std::isfinite(matrix.values[k])) note(scan, matrix.values[k], {r, matrix.indices[k]});
      }
    }
    return scan;
  };
  return parallel_reduce(ctx, matrix.rows, kGrain, ValueScan{}, scan_rows, append);
}

template ValueScan scan_values(const DenseMatrix<double>&, Context&);
template ValueScan scan_values(const DenseMatrix<float>&, Context&);
template ValueScan scan_values(const SparseMatrix<double>&, Context&);
template ValueScan scan_values(const SparseMatrix<float>&, Context&);

}  // namespace clade
