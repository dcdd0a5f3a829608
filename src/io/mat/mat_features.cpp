#include "io/mat/mat_features.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.h"

namespace clade {
namespace {

constexpr Index kRowBlock = 64;    // rows that one task fills
constexpr Index kColumnTile = 16;  // columns read side by side: their cache lines and the rows fit the L1 cache

std::string place(const std::string& file, const MatVariable& variable, Index row, Index column) {
  return fmt::format("{}: row {}, column {} of {}", file, row + 1, column + 1, variable.name);
}

template <class T>
bool all_finite(const T* values, Index count) {
  bool finite = true;
  for (Index k = 0; k < count; ++k) finite &= std::abs(values[k]) <= std::numeric_limits<T>::max();
  return finite;
}

// What a task found that is not a plain number.
struct Oddities {
  Index missing = 0;
  Index first_row = 0;
  Index first_column = 0;
  Index rounded = 0;

  void add(const Oddities& later) {
    if (missing == 0) {
      first_row = later.first_row;
      first_column = later.first_column;
    }
    missing += later.missing;
    rounded += later.rounded;
  }
  void store(const std::string& file, const MatVariable& variable, MatRows& rows) const {
    rows.missing_values = missing;
    rows.rounded = rounded;
    if (missing > 0) rows.first_missing.file = place(file, variable, first_row, first_column);
  }
};

template <class T>
void note_value(const std::string& file, const MatVariable& variable, Index row, Index column, T value,
                Oddities& oddities) {
  if (std::isinf(value)) {
    throw input_error(
        {.file = place(file, variable, row, column)},
        std::is_same_v<T, float> ? "the value is infinite, or too large for single precision" : "the value is infinite",
        "expected a finite number, or NaN where it is missing");
  }
  if (!std::isnan(value)) return;
  if (oddities.missing++ == 0) {
    oddities.first_row = row;
    oddities.first_column = column;
  }
}

template <class Stored>
bool is_rounded(Stored value) {
  if constexpr (std::is_integral_v<Stored> && sizeof(Stored) == 8) {
    constexpr auto kExact = Stored{1} << 53;
    if constexpr (std::is_signed_v<Stored>) return value > kExact || value < -kExact;
    return value > kExact;
  }
  return false;
}

// Fills rows [begin, end) of the matrix.
template <class T, class Load>
Oddities transpose_block(const MatVariable& variable, const std::string& file, Load load, Index begin, Index end,
                         DenseMatrix<T>& matrix) {
  Oddities oddities;
  for (Index tile = 0; tile < matrix.columns; tile += kColumnTile) {
    const Index tile_end = std::min(matrix.columns, tile + kColumnTile);
    for (Index row = begin; row < end; ++row) {
      T* out = matrix.values.data() + row * matrix.columns;
      for (Index column = tile; column < tile_end; ++column) {
        const auto value = load(column * variable.rows + row);
        oddities.rounded += is_rounded(value) ? 1 : 0;
        out[column] = static_cast<T>(value);
      }
    }
  }
  for (Index row = begin; row < end; ++row) {
    const T* values = matrix.values.data() + row * matrix.columns;
    if (all_finite(values, matrix.columns)) continue;
    for (Index column = 0; column < matrix.columns; ++column) {
      note_value(file, variable, row, column, values[column], oddities);
    }
  }
  return oddities;
}

template <class T>
MatRows dense_rows(const MatVariable& variable, Index columns, const std::string& file, Context& ctx) {
  DenseMatrix<T> matrix{.rows = variable.rows, .columns = columns, .values = Buffer<T>(variable.rows * columns)};
  const Oddities oddities = with_loader(variable.values, [&](auto load) {
    return parallel_reduce(
        ctx, matrix.rows, kRowBlock, Oddities{},
        [&](Index begin, Index end) { return transpose_block(variable, file, load, begin, end, matrix); },
        [](Oddities& total, const Oddities& part) { total.add(part); });
  });
  MatRows rows;
  oddities.store(file, variable, rows);
  rows.matrix = std::move(matrix);
  return rows;
}

// Turns entries sorted by column into entries sorted by row, with ascending columns. A counting sort.
template <class T>
SparseMatrix<T> by_rows(const MatVariable& variable, Index columns, Oddities& oddities) {
  const Index entries = variable.column_starts.index_at(columns);
  SparseMatrix<T> matrix;
  matrix.rows = variable.rows;
  matrix.columns = columns;
  matrix.offsets = Buffer<Index>(variable.rows + 1);
  matrix.indices = Buffer<FeatureIndex>(entries);
  matrix.values = Buffer<T>(entries);
  std::fill(matrix.offsets.begin(), matrix.offsets.end(), Index{0});
  for (Index k = 0; k < entries; ++k) ++matrix.offsets[variable.row_indices.index_at(k) + 1];
  for (Index row = 0; row < matrix.rows; ++row) matrix.offsets[row + 1] += matrix.offsets[row];
  with_loader(variable.values, [&](auto load) {
    for (Index column = 0; column < columns; ++column) {
      const Index end = variable.column_starts.index_at(column + 1);
      for (Index k = variable.column_starts.index_at(column); k < end; ++k) {
        const auto value = load(k);
        const Index at = matrix.offsets[variable.row_indices.index_at(k)]++;
        oddities.rounded += is_rounded(value) ? 1 : 0;
        matrix.indices[at] = static_cast<FeatureIndex>(column);
        matrix.values[at] = static_cast<T>(value);
      }
    }
  });
  // Filling has moved every offset to that of the next row.
  for (Index row = matrix.rows; row > 0; --row) matrix.offsets[row] = matrix.offsets[row - 1];
  matrix.offsets[0] = 0;
  return matrix;
}

template <class T>
MatRows sparse_rows(const MatVariable& variable, Index columns, const std::string& file) {
  Oddities oddities;
  SparseMatrix<T> matrix = by_rows<T>(variable, columns, oddities);
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      if (k > matrix.offsets[row] && matrix.indices[k] == matrix.indices[k - 1]) {
        throw input_error({.file = place(file, variable, row, matrix.indices[k])}, "the value is stored twice",
                          "expected each entry of a sparse matrix once");
      }
      note_value(file, variable, row, matrix.indices[k], matrix.values[k], oddities);
    }
  }
  MatRows rows;
  oddities.store(file, variable, rows);
  rows.matrix = std::move(matrix);
  return rows;
}

}  // namespace

void check_sparse(const MatVariable& variable, const std::string& file) {
  const auto fail = [&](std::string_view problem) {
    throw input_error({.file = file}, fmt::format("sparse variable '{}': {}", variable.name, problem), "corrupt file");
  };
  const NumberArray& starts = variable.column_starts;
  if (!is_integer(starts.type) || starts.size() != variable.columns + 1) {
    fail(fmt::format("{} column starts for {} columns", starts.size(), variable.columns));
  }
  Index before = 0;
  for (Index column = 0; column <= variable.columns; ++column) {
    const Index start = starts.index_at(column);
    if (start < before || (column == 0 && start != 0)) fail(fmt::format("column {} starts at {}", column + 1, start));
    before = start;
  }
  if (before > 0 && !is_integer(variable.row_indices.type)) fail("row numbers that are no integers");
  if (before > std::min(variable.row_indices.size(), variable.values.size())) {
    fail(fmt::format("{} entries are missing", before - std::min(variable.row_indices.size(), variable.values.size())));
  }
  for (Index k = 0; k < before; ++k) {
    const Index row = variable.row_indices.index_at(k);
    if (row < 0 || row >= variable.rows) fail(fmt::format("entry {} is in row {}", k + 1, row + 1));
  }
}

MatRows take_rows(const MatVariable& variable, Index columns, Precision precision, const std::string& file,
                  Context& ctx) {
  if (columns > kMaxFeatures) {
    throw input_error({.file = file}, fmt::format("variable '{}' has {} columns", variable.name, columns),
                      fmt::format("expected at most {}", kMaxFeatures));
  }
  const bool single = precision == Precision::kFloat;
  if (variable.kind == MatVariable::Kind::kSparse) {
    check_sparse(variable, file);
    return single ? sparse_rows<float>(variable, columns, file) : sparse_rows<double>(variable, columns, file);
  }
  return single ? dense_rows<float>(variable, columns, file, ctx) : dense_rows<double>(variable, columns, file, ctx);
}

std::vector<double> take_column(const MatVariable& variable, Index column, const std::string& file) {
  std::vector<double> values(static_cast<std::size_t>(variable.rows), 0.0);
  if (variable.kind == MatVariable::Kind::kNumbers) {
    with_loader(variable.values, [&](auto load) {
      for (Index row = 0; row < variable.rows; ++row) {
        values[static_cast<std::size_t>(row)] = static_cast<double>(load(column * variable.rows + row));
      }
    });
    return values;
  }
  check_sparse(variable, file);
  const Index end = variable.column_starts.index_at(column + 1);
  for (Index k = variable.column_starts.index_at(column); k < end; ++k) {
    values[static_cast<std::size_t>(variable.row_indices.index_at(k))] = variable.values.at(k);
  }
  return values;
}

}  // namespace clade
