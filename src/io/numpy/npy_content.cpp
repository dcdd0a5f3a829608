#include "io/numpy/npy_content.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "core/parallel.h"
#include "io/csr_builder.h"
#include "io/labels/labels.h"
#include "io/matrix_checks.h"
#include "io/numpy/npz_archive.h"

namespace clade {
namespace {

constexpr Index kBlock = 4096;  // elements converted at a time

template <class Matrix>
void set_features(ParsedData& data, Matrix matrix, const NpyArray& values, Context& ctx) {
  const ValueScan scan = scan_values(matrix, ctx);
  if (scan.first_infinite) {
    constexpr bool kSingle = std::is_same_v<decltype(matrix.values), Buffer<float>>;
    throw values.place.error(
        fmt::format("row {}, column {}: infinite{}", scan.first_infinite->row + 1, scan.first_infinite->column + 1,
                    kSingle ? " or too large for single precision" : ""),
        "finite numbers, or nan for a missing one");
  }
  data.missing_values = scan.missing;
  if (scan.first_missing) {
    data.first_missing = {values.place.file, scan.first_missing->row + 1, scan.first_missing->column + 1};
  }
  if (const Index inexact = count_inexact(values); inexact > 0) {
    data.notes.push_back(fmt::format("{} integers are too long for a double and were rounded", inexact));
  }
  data.features = std::move(matrix);
}

// The arrays of a sparse matrix, by SciPy's names.
struct SparseArrays {
  const NpyArray& values;
  std::array<Index, 2> shape;
  std::string format;
};

// A one-dimensional array of integers, each checked to be in [0, bound).
class IndexArray {
 public:
  IndexArray(const NpyArray& array, Index bound) : array_(array), bound_(bound) {
    if (array.header.dimensions() != 1 || !array.header.is_integer()) {
      throw array.place.error(fmt::format("shape {}", array.header.shape_text()), "integers in one dimension");
    }
  }

  Index size() const { return array_.header.count; }

  // Calls visit(position, index) for the positions in [begin, end).
  template <class Visit>
  void visit(Index begin, Index end, Visit&& visit) const {
    std::array<Index, kBlock> block;
    for (Index from = begin; from < end; from += kBlock) {
      const Index count = std::min(kBlock, end - from);
      copy_integers(array_, from, count, block.data());
      for (Index k = 0; k < count; ++k) {
        const Index index = block[static_cast<std::size_t>(k)];
        if (index < 0 || index >= bound_) {
          throw array_.place.error(fmt::format("index {} in element {}", index, from + k + 1),
                                   fmt::format("0 to {}", bound_ - 1));
        }
        visit(from + k, index);
      }
    }
  }

 private:
  const NpyArray& array_;
  Index bound_;
};

// Offsets of `groups` rows or columns: from 0 to `total`, never falling.
std::vector<Index> read_offsets(const NpyArray& array, Index groups, Index total) {
  std::vector<Index> offsets = integer_vector(array);
  if (static_cast<Index>(offsets.size()) - 1 != groups) {
    throw array.place.error(fmt::format("{} offsets", offsets.size()), fmt::format("one more than {}", groups));
  }
  if (offsets.front() != 0 || offsets.back() != total) {
    throw array.place.error(fmt::format("offsets from {} to {}", offsets.front(), offsets.back()),
                            fmt::format("from 0 to {}, the number of values", total));
  }
  const auto fall = std::adjacent_find(offsets.begin(), offsets.end(), std::greater<>());
  if (fall != offsets.end()) {
    throw array.place.error(fmt::format("the offset falls after element {}", fall - offsets.begin() + 1),
                            "offsets in ascending order");
  }
  return offsets;
}

SparseArrays read_sparse_arrays(NpzArchive& archive) {
  const NpyArray& format = archive.require("format", "a sparse matrix");
  if (!format.header.is_string() || format.header.count != 1)
    throw format.place.error("not a string", "csr, csc or coo");
  std::string word = string_at(format, 0);
  if (word != "csr" && word != "csc" && word != "coo") {
    throw format.place.error(fmt::format("a sparse matrix of format {}", word), "csr, csc or coo");
  }
  const NpyArray& shape_array = archive.require("shape", "a sparse matrix");
  const std::vector<Index> shape = integer_vector(shape_array);
  if (shape.size() != 2 || shape[0] < 0 || shape[1] < 0 || shape[1] > kMaxFeatures) {
    throw shape_array.place.error("not the shape of a data matrix", "two lengths, the second below 2^31");
  }
  const NpyArray& values = archive.require("data", "a sparse matrix");
  if (values.header.dimensions() != 1 || !values.header.is_number()) {
    throw values.place.error(fmt::format("shape {}", values.header.shape_text()), "numbers in one dimension");
  }
  return {values, {shape[0], shape[1]}, std::move(word)};
}

void require_count(const NpyArray& array, Index count, const NpyArray& values) {
  if (count != values.header.count) {
    throw array.place.error(fmt::format("{} indices", count), fmt::format("{}, one per value", values.header.count));
  }
}

template <class T>
SparseMatrix<T> rows_as_stored(NpzArchive& archive, const SparseArrays& arrays, Context& ctx) {
  const NpyArray& index_array = archive.require("indices", "a sparse matrix of format csr");
  const IndexArray columns(index_array, arrays.shape[1]);
  const Index count = columns.size();
  require_count(index_array, count, arrays.values);
  const auto offsets = read_offsets(archive.require("indptr", "a sparse matrix of format csr"), arrays.shape[0], count);

  SparseMatrix<T> matrix{
      .rows = arrays.shape[0], .columns = arrays.shape[1], .offsets = {}, .indices = {}, .values = {}};
  matrix.offsets = Buffer<Index>(static_cast<Index>(offsets.size()));
  std::copy(offsets.begin(), offsets.end(), matrix.offsets.begin());
  matrix.indices = Buffer<FeatureIndex>(count);
  matrix.values = Buffer<T>(count);
  constexpr Index kGrain = 16 * kBlock;
  parallel_for(ctx, count, kGrain, [&](Index begin, Index end) {
    columns.visit(begin, end, [&](Index k, Index column) { matrix.indices[k] = static_cast<FeatureIndex>(column); });
    copy_numbers(arrays.values, begin, end - begin, matrix.values.data() + begin);
  });
  return matrix;
}

// Calls visit(position, row, column) for every cell of a matrix stored by columns or as coordinates.
template <class Visit>
void visit_cells(NpzArchive& archive, const SparseArrays& arrays, Visit&& visit) {
  const bool by_columns = arrays.format == "csc";
  const NpyArray& row_array = archive.require(by_columns ? "indices" : "row", "this sparse matrix");
  const IndexArray rows(row_array, arrays.shape[0]);
  require_count(row_array, rows.size(), arrays.values);
  if (by_columns) {
    const auto offsets = read_offsets(archive.require("indptr", "this sparse matrix"), arrays.shape[1], rows.size());
    for (Index c = 0; c < arrays.shape[1]; ++c) {
      const auto at = static_cast<std::size_t>(c);
      rows.visit(offsets[at], offsets[at + 1], [&](Index k, Index row) { visit(k, row, c); });
    }
    return;
  }
  const NpyArray& column_array = archive.require("col", "this sparse matrix");
  const IndexArray columns(column_array, arrays.shape[1]);
  require_count(column_array, columns.size(), arrays.values);
  rows.visit(0, rows.size(),
             [&](Index k, Index row) { columns.visit(k, k + 1, [&](Index, Index column) { visit(k, row, column); }); });
}

template <class T>
SparseMatrix<T> rows_from_cells(NpzArchive& archive, const SparseArrays& arrays, std::size_t file_bytes, Context& ctx,
                                std::optional<Cell>& repeated) {
  check_row_limit(arrays.shape[0], file_bytes, {.file = archive.file()});
  CsrBuilder<T> builder(arrays.shape[0], arrays.shape[1]);
  visit_cells(archive, arrays, [&](Index, Index row, Index) { builder.count(row); });
  builder.allocate();
  visit_cells(archive, arrays, [&](Index k, Index row, Index column) {
    T value;
    copy_numbers(arrays.values, k, 1, &value);
    builder.place(row, static_cast<FeatureIndex>(column), value);
  });
  return builder.finish(ctx, repeated);
}

template <class T>
void set_sparse(ParsedData& data, NpzArchive& archive, std::size_t file_bytes, Context& ctx) {
  const SparseArrays arrays = read_sparse_arrays(archive);
  std::optional<Cell> repeated;
  SparseMatrix<T> matrix;
  if (arrays.format == "csr") {
    matrix = rows_as_stored<T>(archive, arrays, ctx);
    repeated = sort_rows(matrix, ctx);
  } else {
    matrix = rows_from_cells<T>(archive, arrays, file_bytes, ctx, repeated);
  }
  if (repeated) {
    throw input_error({.file = archive.file()},
                      fmt::format("row {} has two values for column {}", repeated->row + 1, repeated->column + 1),
                      "expected each cell once (sum_duplicates() in SciPy)");
  }
  set_features(data, std::move(matrix), arrays.values, ctx);
}

}  // namespace

namespace {

template <class T>
void set_dense(ParsedData& data, const NpyArray& array, Context& ctx) {
  if (std::optional<DenseMatrix<T>> in_file = dense_matrix_in_file<T>(array)) {
    set_features(data, *std::move(in_file), array, ctx);
    if (data.missing_values == 0) return;  // otherwise they may be replaced, and not in the file
  }
  set_features(data, dense_matrix<T>(array, ctx), array, ctx);
}

}  // namespace

void set_dense_features(ParsedData& data, const NpyArray& array, const ReadOptions& options, Context& ctx) {
  if (options.precision == Precision::kFloat) {
    set_dense<float>(data, array, ctx);
  } else {
    set_dense<double>(data, array, ctx);
  }
}

void set_sparse_features(ParsedData& data, NpzArchive& archive, std::size_t file_bytes, const ReadOptions& options,
                         Context& ctx) {
  if (options.precision == Precision::kFloat) {
    set_sparse<float>(data, archive, file_bytes, ctx);
  } else {
    set_sparse<double>(data, archive, file_bytes, ctx);
  }
}

namespace {

// Whole numbers beyond this are not exact as doubles.
constexpr double kMaxWhole = 9007199254740992.0;

Error label_error(const NpyArray& array, Index sample, std::string_view problem, std::string_view expected) {
  return array.place.error(fmt::format("row {}: {}", sample + 1, problem), expected);
}

void add_number(LabelNames& labels, Index number) {
  std::array<char, 24> text{};
  const auto end = fmt::format_to(text.data(), "{}", number);
  labels.add({text.data(), static_cast<std::size_t>(end - text.data())});
  labels.end_sample();
}

LabelNames integer_labels(const NpyArray& array) {
  LabelNames labels;
  for (Index s = 0; s < array.header.count; ++s) {
    Index number = 0;
    copy_integers(array, s, 1, &number);
    add_number(labels, number);
  }
  return labels;
}

LabelNames whole_number_labels(const NpyArray& array) {
  LabelNames labels;
  for (Index s = 0; s < array.header.count; ++s) {
    double number = 0;
    copy_numbers(array, s, 1, &number);
    if (!(std::abs(number) <= kMaxWhole) || number != std::trunc(number)) {
      throw label_error(array, s, fmt::format("label {}", number), "whole numbers or strings as labels");
    }
    add_number(labels, static_cast<Index>(number));
  }
  return labels;
}

LabelNames string_labels(const NpyArray& array, const ReadOptions& options) {
  LabelNames labels;
  for (Index s = 0; s < array.header.count; ++s) {
    if (!add_label_set(labels, string_at(array, s), options.label_separators, 0)) {
      throw label_error(array, s, "an empty label between separators", "a label");
    }
    labels.end_sample();
  }
  return labels;
}

LabelNames indicator_labels(const NpyArray& array) {
  const Index rows = array.header.shape[0];
  const Index columns = array.header.shape[1];
  LabelNames labels;
  if (rows > 0) {  // so that every class costs at least a byte of the file
    for (Index c = 0; c < columns; ++c) labels.intern(std::to_string(c));
  }
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) {
      double value = 0;
      copy_numbers(array, array.header.fortran_order ? c * rows + r : r * columns + c, 1, &value);
      if (value != 0 && value != 1) {
        throw label_error(array, r, fmt::format("value {} in column {}", value, c + 1), "a matrix of 0 and 1");
      }
      if (value == 1) labels.add(static_cast<std::int32_t>(c));
    }
    labels.end_sample();
  }
  return labels;
}

}  // namespace

LabelNames labels_from_array(const NpyArray& array, Index samples, const ReadOptions& options) {
  const NpyHeader& header = array.header;
  const bool column = header.dimensions() == 2 && header.shape[1] == 1;
  const bool matrix = header.dimensions() == 2 && header.is_number();
  if (header.dimensions() != 1 && !column && !matrix) {
    throw array.place.error(fmt::format("labels of shape {}", header.shape_text()),
                            "one label per sample, or a 0/1 matrix with one row per sample");
  }
  if (header.shape[0] != samples) {
    throw array.place.error(fmt::format("labels for {} samples", header.shape[0]),
                            fmt::format("{}, as many as there are samples", samples));
  }
  if (matrix && !column) return indicator_labels(array);
  if (header.is_string()) return string_labels(array, options);
  return header.kind == 'f' ? whole_number_labels(array) : integer_labels(array);
}

}  // namespace clade
