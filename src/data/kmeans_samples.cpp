#include "data/kmeans_samples.h"

#include <algorithm>

#include "core/parallel.h"

namespace clade {
namespace {

// Of dense row-major values.
Vector mean_row(std::span<const double> values, Index columns, const EvenBlocks& blocks, Context& ctx) {
  constexpr Index kColumnsPerTask = 256;
  const Index first = blocks.own_rows().first;
  const Vector sum = blocks.sums().sum(columns, [&](int block, Vector& own) {
    const auto [begin, end] = blocks.rows_of(block);
    const Eigen::Map<const Matrix> rows(values.data() + (begin - first) * columns, columns, end - begin);
    parallel_for(ctx, columns, kColumnsPerTask, [&](Index from, Index to) {
      for (const auto& row : rows.colwise()) own.segment(from, to - from) += row.segment(from, to - from);
    });
  });
  return sum / static_cast<double>(std::max<Index>(1, blocks.rows()));
}

}  // namespace

KMeansSamples::KMeansSamples(const Dataset& data, const EvenBlocks& blocks, Context& ctx) {
  const Index n = data.samples();
  const Index p = data.features();
  if (!data.is_view()) {
    if (const auto* dense = std::get_if<DenseMatrix<double>>(&data.matrix())) {
      rows_ = dense_kmeans_rows(dense->values.span(), n, mean_row(dense->values.span(), p, blocks, ctx), ctx);
      return;
    }
    if (const auto* sparse = std::get_if<SparseMatrix<double>>(&data.matrix())) {
      rows_ = sparse_kmeans_rows(sparse->offsets.span(), sparse->indices.span(), sparse->values.span(), p);
      return;
    }
  }
  if (!is_sparse(data.matrix())) {
    std::vector<double> values(static_cast<std::size_t>(n * p));
    for (Index s = 0; s < n; ++s) {
      data.for_each_value(
          s, [&](FeatureIndex f, auto v) { values[static_cast<std::size_t>(s * p + f)] = static_cast<double>(v); });
    }
    rows_ = dense_kmeans_rows(values, n, mean_row(values, p, blocks, ctx), ctx);
    return;
  }
  offsets_.push_back(0);
  for (Index s = 0; s < n; ++s) {
    data.for_each_value(s, [&](FeatureIndex f, auto v) {
      indices_.push_back(f);
      values_.push_back(static_cast<double>(v));
    });
    offsets_.push_back(std::ssize(indices_));
  }
  rows_ = sparse_kmeans_rows(offsets_, indices_, values_, p);
}

}  // namespace clade
