#include "data/storage.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "core/parallel.h"

namespace clade {
namespace {

constexpr Index kRowsPerChunk = 256;
constexpr Index kSmallData = 1'000'000;  // values; below this, storage hardly matters and is left as it is
constexpr double kSparseBelow = 0.1;     // share of non-zeros; sparse values take 12 bytes, dense ones 8

Index nonzeros_of(std::span<const double> row) {
  return std::ssize(row) - std::ranges::count(row, 0.0);
}
Index nonzeros_of(std::span<const float> row) {
  return std::ssize(row) - std::ranges::count(row, 0.0F);
}

template <class To, class From>
SparseMatrix<To> sparse_from_dense(const DenseMatrix<From>& dense, Context& ctx) {
  SparseMatrix<To> sparse{.rows = dense.rows,
                          .columns = dense.columns,
                          .offsets = Buffer<Index>(dense.rows + 1),
                          .indices = {},
                          .values = {}};
  parallel_for(ctx, dense.rows, kRowsPerChunk, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) sparse.offsets[r + 1] = nonzeros_of(dense.row(r));
  });
  sparse.offsets[0] = 0;
  for (Index r = 0; r < dense.rows; ++r) sparse.offsets[r + 1] += sparse.offsets[r];
  sparse.indices = Buffer<FeatureIndex>(sparse.offsets[dense.rows]);
  sparse.values = Buffer<To>(sparse.offsets[dense.rows]);
  parallel_for(ctx, dense.rows, kRowsPerChunk, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      Index at = sparse.offsets[r];
      const auto row = dense.row(r);
      for (std::size_t c = 0; c < row.size(); ++c) {
        if (row[c] == 0) continue;
        sparse.indices[at] = static_cast<FeatureIndex>(c);
        sparse.values[at++] = static_cast<To>(row[c]);
      }
    }
  });
  return sparse;
}

template <class To, class From>
DenseMatrix<To> dense_from_sparse(const SparseMatrix<From>& sparse, Context& ctx) {
  const double needed = static_cast<double>(sparse.rows) * static_cast<double>(sparse.columns) * sizeof(To);
  const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  if (needed > memory) {
    throw usage_error(fmt::format("dense storage of {} x {} values needs {:.1f} GiB", sparse.rows, sparse.columns,
                                  needed / (1 << 30)),
                      fmt::format("this machine has {:.1f} GiB; use `storage` sparse", memory / (1 << 30)));
  }
  DenseMatrix<To> dense{
      .rows = sparse.rows, .columns = sparse.columns, .values = Buffer<To>(sparse.rows * sparse.columns)};
  parallel_for(ctx, dense.rows, kRowsPerChunk, [&](Index begin, Index end) {
    std::fill(dense.values.data() + begin * dense.columns, dense.values.data() + end * dense.columns, To(0));
    for (Index r = begin; r < end; ++r) {
      const auto columns = sparse.row_indices(r);
      const auto values = sparse.row_values(r);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        dense.values[r * dense.columns + columns[k]] = static_cast<To>(values[k]);
      }
    }
  });
  return dense;
}

template <class To, class From>
Buffer<To> converted(const Buffer<From>& from, Context& ctx) {
  Buffer<To> to(from.size());
  parallel_for(ctx, from.size(), Index{1} << 20U, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) to[k] = static_cast<To>(from[k]);
  });
  return to;
}

template <class Matrix>
using ScalarOf = std::remove_cvref_t<decltype(*std::declval<Matrix&>().values.data())>;

template <class To, class Matrix>
FeatureMatrix convert(Matrix matrix, bool want_sparse, Context& ctx) {
  constexpr bool kIsSparse = requires { matrix.indices; };
  if constexpr (kIsSparse) {
    if (!want_sparse) return dense_from_sparse<To>(matrix, ctx);
    if constexpr (std::is_same_v<To, ScalarOf<Matrix>>) {
      return matrix;
    } else {
      auto values = converted<To>(matrix.values, ctx);
      return SparseMatrix<To>{matrix.rows, matrix.columns, std::move(matrix.offsets), std::move(matrix.indices),
                              std::move(values)};
    }
  } else {
    if (want_sparse) return sparse_from_dense<To>(matrix, ctx);
    if constexpr (std::is_same_v<To, ScalarOf<Matrix>>) {
      return matrix;
    } else {
      return DenseMatrix<To>{matrix.rows, matrix.columns, converted<To>(matrix.values, ctx)};
    }
  }
}

}  // namespace

Index count_nonzeros(const FeatureMatrix& matrix, Context& ctx) {
  return std::visit(
      [&](const auto& m) {
        return parallel_reduce(
            ctx, m.values.size(), Index{1} << 18U, Index{0},
            [&](Index begin, Index end) {
              return nonzeros_of(std::span(m.values.data() + begin, static_cast<std::size_t>(end - begin)));
            },
            [](Index& total, Index part) { total += part; });
      },
      matrix);
}

bool is_better_sparse(Index values, Index nonzeros) {
  return values >= kSmallData && static_cast<double>(nonzeros) / static_cast<double>(values) < kSparseBelow;
}

std::string better_sparse_note(Index values, Index nonzeros) {
  return fmt::format("dense in the file but only {:.2g} % non-zero: kept sparse in memory",
                     100 * static_cast<double>(nonzeros) / static_cast<double>(values));
}

FeatureMatrix stored_as(FeatureMatrix matrix, Storage storage, Precision precision, std::vector<std::string>& notes,
                        Context& ctx) {
  bool want_sparse = storage == Storage::kSparse || (storage != Storage::kDense && is_sparse(matrix));
  const Index values = row_count(matrix) * column_count(matrix);
  if (storage == Storage::kAuto && !is_sparse(matrix) && values >= kSmallData) {
    const Index nonzeros = count_nonzeros(matrix, ctx);
    want_sparse = is_better_sparse(values, nonzeros);
    if (want_sparse) notes.push_back(better_sparse_note(values, nonzeros));
  }
  return std::visit(
      [&](auto&& m) {
        return precision == Precision::kFloat ? convert<float>(std::forward<decltype(m)>(m), want_sparse, ctx)
                                              : convert<double>(std::forward<decltype(m)>(m), want_sparse, ctx);
      },
      std::move(matrix));
}

}  // namespace clade
