#include "data/scaling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace clade {
namespace {

// x becomes (x - shift) * factor.
struct Transform {
  std::vector<double> shift;
  std::vector<double> factor;
};

Transform feature_transform(const Dataset& data, Scale scale) {
  const auto p = static_cast<std::size_t>(data.features());
  Transform transform{std::vector<double>(p, 0), std::vector<double>(p, 1)};
  if (scale != Scale::kStandard && scale != Scale::kMinMax) return transform;
  const auto n = static_cast<double>(data.samples());
  std::vector<double> stored(p, 0);
  std::vector<double> sum(p, 0);
  std::vector<double> low(p, std::numeric_limits<double>::infinity());
  std::vector<double> high(p, -std::numeric_limits<double>::infinity());
  const auto for_each = [&](auto&& visit) {
    for (Index s = 0; s < data.samples(); ++s) {
      data.for_each_value(s,
                          [&](FeatureIndex f, auto v) { visit(static_cast<std::size_t>(f), static_cast<double>(v)); });
    }
  };
  for_each([&](std::size_t f, double v) {
    ++stored[f];
    sum[f] += v;
    low[f] = std::min(low[f], v);
    high[f] = std::max(high[f], v);
  });
  std::vector<double> squares(p, 0);
  for_each([&](std::size_t f, double v) { squares[f] += (v - sum[f] / n) * (v - sum[f] / n); });
  for (std::size_t f = 0; f < p; ++f) {
    if (stored[f] < n) {  // values that are not stored are 0
      low[f] = std::min(low[f], 0.0);
      high[f] = std::max(high[f], 0.0);
    }
    if (scale == Scale::kStandard) {
      const double mean = sum[f] / n;
      const double deviation = std::sqrt((squares[f] + (n - stored[f]) * mean * mean) / n);
      transform.shift[f] = mean;
      transform.factor[f] = low[f] < high[f] ? 1 / deviation : 0;
    } else {
      transform.shift[f] = low[f];
      transform.factor[f] = low[f] < high[f] ? 1 / (high[f] - low[f]) : 0;
    }
  }
  return transform;
}

double row_factor(const Dataset& data, Index sample, Scale scale) {
  if (scale != Scale::kUnit) return 1;
  double square = 0;
  data.for_each_value(sample, [&](FeatureIndex, auto v) { square += static_cast<double>(v) * static_cast<double>(v); });
  return square > 0 ? 1 / std::sqrt(square) : 1;
}

FeatureMatrix dense_scaled(const Dataset& data, Scale scale, Index columns) {
  const Transform transform = feature_transform(data, scale);
  DenseMatrix<double> matrix{data.samples(), columns, Buffer<double>(data.samples() * columns)};
  std::fill(matrix.values.begin(), matrix.values.end(), 1.0);  // the bias
  for (Index s = 0; s < data.samples(); ++s) {
    double* row = matrix.values.data() + s * columns;
    std::fill(row, row + data.features(), 0.0);
    data.for_each_value(s, [&](FeatureIndex f, auto v) { row[f] = static_cast<double>(v); });
    const double factor = row_factor(data, s, scale);
    for (Index f = 0; f < data.features(); ++f) {
      const auto at = static_cast<std::size_t>(f);
      row[f] = factor * (row[f] - transform.shift[at]) * transform.factor[at];
    }
  }
  return matrix;
}

FeatureMatrix sparse_scaled(const Dataset& data, Scale scale, bool bias) {
  std::vector<FeatureIndex> indices;
  std::vector<double> values;
  SparseMatrix<double> matrix{
      data.samples(), data.features() + (bias ? 1 : 0), Buffer<Index>(data.samples() + 1), {}, {}};
  matrix.offsets[0] = 0;
  for (Index s = 0; s < data.samples(); ++s) {
    const double factor = row_factor(data, s, scale);
    data.for_each_value(s, [&](FeatureIndex f, auto v) {
      indices.push_back(f);
      values.push_back(factor * static_cast<double>(v));
    });
    if (bias) {
      indices.push_back(static_cast<FeatureIndex>(data.features()));
      values.push_back(1);
    }
    matrix.offsets[s + 1] = static_cast<Index>(indices.size());
  }
  matrix.indices = Buffer<FeatureIndex>(static_cast<Index>(indices.size()));
  matrix.values = Buffer<double>(static_cast<Index>(values.size()));
  std::copy(indices.begin(), indices.end(), matrix.indices.begin());
  std::copy(values.begin(), values.end(), matrix.values.begin());
  return matrix;
}

}  // namespace

Dataset scaled(const Dataset& data, Scale scale, bool bias) {
  if (scale == Scale::kNone && !bias) return data;
  const bool stays_sparse = is_sparse(data.matrix()) && (scale == Scale::kUnit || scale == Scale::kNone);
  Dataset::Parts parts;
  parts.features =
      stays_sparse ? sparse_scaled(data, scale, bias) : dense_scaled(data, scale, data.features() + (bias ? 1 : 0));
  for (Index s = 0; s < data.samples(); ++s) {
    const auto labels = data.labels(s);
    parts.labels.nodes.insert(parts.labels.nodes.end(), labels.begin(), labels.end());
    parts.labels.offsets.push_back(static_cast<Index>(parts.labels.nodes.size()));
  }
  parts.taxonomy = data.taxonomy();
  if (!bias) parts.feature_names.assign(data.feature_names().begin(), data.feature_names().end());
  return Dataset(std::move(parts));
}

}  // namespace clade
