#include "induce/centroids.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"

namespace clade {
namespace {

constexpr Index kClassesPerChunk = 64;
// A feature that at least this share of the classes has goes into the dense block. A sparse product multiplies only
// share² of the pairs, but each costs about thirty times as much as in a matrix product; they break even here.
constexpr double kCommon = 0.18;
constexpr double kLargestBlock = 256 * 0x1p20;  // bytes, for sparse data

double factor_of(const Dataset& data, Index sample, bool unit) {
  if (!unit) return 1;
  double square = 0;
  data.for_each_value(sample, [&](FeatureIndex, auto v) { square += static_cast<double>(v) * static_cast<double>(v); });
  return square > 0 ? 1 / std::sqrt(square) : 1;
}

void move_to_mean_zero(Matrix& block, Context& ctx) {
  if (block.cols() == 0) return;
  Vector mean = Vector::Zero(block.rows());
  for (Index k = 0; k < block.cols(); ++k) mean += block.col(k);
  mean /= static_cast<double>(block.cols());
  parallel_for(ctx, block.cols(), kClassesPerChunk, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) block.col(k) -= mean;
  });
}

SparseMatrix<double> no_rows(Index classes, Index features) {
  SparseMatrix<double> rest{classes, features, Buffer<Index>(classes + 1), {}, {}};
  std::fill(rest.offsets.begin(), rest.offsets.end(), Index{0});
  return rest;
}

Centroids dense_centroids(const Dataset& data, const ClassSamples& classes, bool unit, Context& ctx) {
  Centroids centroids{Matrix(data.features(), classes.size()), no_rows(classes.size(), data.features())};
  parallel_for(ctx, classes.size(), kClassesPerChunk, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      double* sum = centroids.block.col(k).data();
      std::fill(sum, sum + data.features(), 0.0);
      for (const Index sample : classes.of(k)) {
        const double factor = factor_of(data, sample, unit);
        data.for_each_value(sample, [&](FeatureIndex f, auto v) { sum[f] += factor * static_cast<double>(v); });
      }
      const auto count = static_cast<double>(std::ssize(classes.of(k)));
      for (Index f = 0; f < data.features(); ++f) sum[f] /= count;
    }
  });
  return centroids;
}

// Sparse centroids of consecutive classes.
struct Rows {
  std::vector<FeatureIndex> indices;
  std::vector<double> values;
  std::vector<Index> ends;
};

Rows sparse_rows(const Dataset& data, const ClassSamples& classes, bool unit, Index begin, Index end) {
  Rows rows;
  const auto p = static_cast<std::size_t>(data.features());
  std::vector<double> sum(p, 0);
  std::vector<bool> is_met(p, false);
  std::vector<FeatureIndex> met;
  for (Index k = begin; k < end; ++k) {
    met.clear();
    for (const Index sample : classes.of(k)) {
      const double factor = factor_of(data, sample, unit);
      data.for_each_value(sample, [&](FeatureIndex f, auto v) {
        const auto at = static_cast<std::size_t>(f);
        if (!is_met[at]) met.push_back(f);
        is_met[at] = true;
        sum[at] += factor * static_cast<double>(v);
      });
    }
    std::sort(met.begin(), met.end());
    const auto count = static_cast<double>(std::ssize(classes.of(k)));
    for (const FeatureIndex f : met) {
      const auto at = static_cast<std::size_t>(f);
      if (sum[at] != 0) {
        rows.indices.push_back(f);
        rows.values.push_back(sum[at] / count);
      }
      sum[at] = 0;
      is_met[at] = false;
    }
    rows.ends.push_back(std::ssize(rows.indices));
  }
  return rows;
}

// For every feature its row in the block, or -1. If not all common features fit, those of the most classes go first.
std::vector<Index> rows_of_block(const std::vector<Rows>& chunks, Index features, Index classes, Index& rows) {
  std::vector<Index> count(static_cast<std::size_t>(features), 0);
  for (const Rows& chunk : chunks) {
    for (const FeatureIndex f : chunk.indices) ++count[static_cast<std::size_t>(f)];
  }
  std::vector<FeatureIndex> common;
  for (Index f = 0; f < features; ++f) {
    const auto share = static_cast<double>(count[static_cast<std::size_t>(f)]) / static_cast<double>(classes);
    if (share >= kCommon) common.push_back(static_cast<FeatureIndex>(f));
  }
  const auto most = static_cast<std::size_t>(kLargestBlock / sizeof(double) / static_cast<double>(classes));
  if (common.size() > most) {
    std::sort(common.begin(), common.end(), [&](FeatureIndex f, FeatureIndex g) {
      const Index of_f = count[static_cast<std::size_t>(f)];
      const Index of_g = count[static_cast<std::size_t>(g)];
      return of_f != of_g ? of_f > of_g : f < g;
    });
    common.resize(most);
    std::sort(common.begin(), common.end());
  }
  std::vector<Index> row(static_cast<std::size_t>(features), -1);
  rows = std::ssize(common);
  for (Index r = 0; r < rows; ++r) row[static_cast<std::size_t>(common[static_cast<std::size_t>(r)])] = r;
  return row;
}

Centroids sparse_centroids(const Dataset& data, const ClassSamples& classes, bool unit, Context& ctx) {
  std::vector<Rows> chunks(static_cast<std::size_t>(chunk_count(classes.size(), kClassesPerChunk)));
  parallel_for(ctx, classes.size(), kClassesPerChunk, [&](Index begin, Index end) {
    chunks[static_cast<std::size_t>(begin / kClassesPerChunk)] = sparse_rows(data, classes, unit, begin, end);
  });
  Index rows = 0;
  const std::vector<Index> row = rows_of_block(chunks, data.features(), classes.size(), rows);
  Index stored = 0;
  for (const Rows& chunk : chunks) {
    stored +=
        std::ranges::count_if(chunk.indices, [&](FeatureIndex f) { return row[static_cast<std::size_t>(f)] < 0; });
  }
  Centroids centroids{Matrix::Zero(rows, classes.size()), no_rows(classes.size(), data.features())};
  SparseMatrix<double>& rest = centroids.rest;
  rest.indices = Buffer<FeatureIndex>(stored);
  rest.values = Buffer<double>(stored);
  Index k = 0;
  Index at = 0;
  for (Rows& chunk : chunks) {
    Index from = 0;
    for (const Index end : chunk.ends) {
      for (; from < end; ++from) {
        const FeatureIndex f = chunk.indices[static_cast<std::size_t>(from)];
        const double value = chunk.values[static_cast<std::size_t>(from)];
        if (const Index r = row[static_cast<std::size_t>(f)]; r >= 0) {
          centroids.block(r, k) = value;
        } else {
          rest.indices[at] = f;
          rest.values[at++] = value;
        }
      }
      rest.offsets[++k] = at;
    }
    chunk = {};
  }
  return centroids;
}

}  // namespace

Centroids class_centroids(const Dataset& data, const ClassSamples& classes, bool unit, Context& ctx, Shift shift) {
  Centroids centroids =
      is_sparse(data.matrix()) ? sparse_centroids(data, classes, unit, ctx) : dense_centroids(data, classes, unit, ctx);
  if (shift == Shift::kToMeanZero) move_to_mean_zero(centroids.block, ctx);
  return centroids;
}

double centroid_bytes(const Dataset& data, const ClassSamples& classes) {
  const auto q = static_cast<double>(classes.size());
  const auto p = static_cast<double>(data.features());
  if (!is_sparse(data.matrix())) return q * p * sizeof(double);
  double stored = 0;
  for (Index k = 0; k < classes.size(); ++k) {
    double values = 0;
    for (const Index sample : classes.of(k)) data.for_each_value(sample, [&](FeatureIndex, auto) { ++values; });
    stored += std::min(values, p);
  }
  // The rows twice, while they are split up, and the block.
  return 2 * stored * (sizeof(double) + sizeof(FeatureIndex)) +
         std::min({kLargestBlock, q * p * sizeof(double), stored / kCommon * sizeof(double)});
}

}  // namespace clade
