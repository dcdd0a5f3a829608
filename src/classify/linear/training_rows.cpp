#include "classify/linear/training_rows.h"

#include <algorithm>
#include <cmath>

#include "classify/linear/feature_scale.h"

namespace clade {
namespace {

std::vector<FeatureIndex> occurring_features(const Dataset& data, std::span<const Index> samples) {
  std::vector<char> occurs(static_cast<std::size_t>(data.features()), 0);
  for (const Index s : samples) {
    data.for_each_value(s, [&](FeatureIndex f, auto value) {
      if (value != 0) occurs[static_cast<std::size_t>(f)] = 1;
    });
  }
  std::vector<FeatureIndex> features;
  for (std::size_t f = 0; f < occurs.size(); ++f) {
    if (occurs[f] != 0) features.push_back(static_cast<FeatureIndex>(f));
  }
  return features;
}

}  // namespace

void TrainingRows::append(const TrainingRows& from, Index row) {
  const auto new_columns = from.columns_of(row);
  const auto new_values = from.values_of(row);
  columns.insert(columns.end(), new_columns.begin(), new_columns.end());
  values.insert(values.end(), new_values.begin(), new_values.end());
  offsets.push_back(std::ssize(columns));
}

TrainingRows training_rows(const Dataset& data, std::span<const Index> samples, const RowOptions& options) {
  TrainingRows rows;
  rows.features = options.features.empty() ? occurring_features(data, samples)
                                           : std::vector(options.features.begin(), options.features.end());
  constexpr std::int32_t kLeftOut = -1;
  std::vector<std::int32_t> local(static_cast<std::size_t>(data.features()), kLeftOut);
  for (std::size_t k = 0; k < rows.features.size(); ++k) {
    local[static_cast<std::size_t>(rows.features[k])] = static_cast<std::int32_t>(k);
  }
  rows.offsets.reserve(samples.size() + 1);
  for (const Index s : samples) {
    double factor = 1;
    if (options.has_unit_length) {
      double square = 0;
      data.for_each_value(s, [&](FeatureIndex, auto value) { square += static_cast<double>(value) * value; });
      factor = square > 0 ? 1 / std::sqrt(square) : 1;
    }
    data.for_each_value(s, [&](FeatureIndex f, auto value) {
      const std::int32_t column = local[static_cast<std::size_t>(f)];
      if (column == kLeftOut) return;
      double x = factor * static_cast<double>(value);
      if (options.scale != nullptr && !options.scale->is_none()) {
        x = options.scale->factor[static_cast<std::size_t>(f)] * (x - options.scale->mean[static_cast<std::size_t>(f)]);
      }
      if (x == 0) return;
      rows.columns.push_back(column);
      rows.values.push_back(x);
    });
    rows.offsets.push_back(static_cast<Index>(rows.columns.size()));
  }
  return rows;
}

TrainingRows with_constant(const TrainingRows& rows, double value) {
  if (value == 0) return rows;
  TrainingRows longer;
  longer.features = rows.features;
  longer.features.push_back(kMaxFeatures);  // stands for no feature
  for (Index r = 0; r < rows.rows(); ++r) {
    longer.append(rows, r);
    longer.columns.push_back(static_cast<std::int32_t>(rows.width()));
    longer.values.push_back(value);
    ++longer.offsets.back();
  }
  return longer;
}

}  // namespace clade
