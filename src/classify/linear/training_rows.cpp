#include "classify/linear/training_rows.h"

#include <utility>

#include "core/large_memory.h"

namespace clade {

Index TrainingRows::nonzeros() const {
  if (!maker) return std::ssize(values);
  Index count = 0;
  for (Index r = 0; r < rows(); ++r) count += std::ssize(columns_of(r));
  return count;
}

void TrainingRows::append(const TrainingRows& from, Index row) {
  const auto new_columns = from.columns_of(row);
  const auto new_values = from.values_of(row);
  columns.insert(columns.end(), new_columns.begin(), new_columns.end());
  values.insert(values.end(), new_values.begin(), new_values.end());
  offsets.push_back(std::ssize(columns));
}

void TrainingRows::renumber(std::span<const std::int32_t> place, std::vector<FeatureIndex> new_features) {
  if (maker) maker = maker->changed(place, 0, 0);
  for (std::int32_t& column : columns) column = place[static_cast<std::size_t>(column)];
  features = std::move(new_features);
}

TrainingRows training_rows(const Dataset& data, std::span<const Index> samples, const RowOptions& options) {
  auto maker = std::make_shared<const RowMaker>(data, samples, options);
  TrainingRows rows;
  rows.features = maker->features();
  const auto most = static_cast<std::size_t>(maker->most_values());
  if (options.may_be_made && is_beyond_limit(most * (sizeof(double) + sizeof(std::int32_t)))) {
    rows.maker = std::move(maker);
    return rows;
  }
  rows.offsets.reserve(samples.size() + 1);
  rows.columns.reserve(most);
  rows.values.reserve(most);
  for (Index r = 0; r < maker->rows(); ++r) {
    maker->append_to(rows.columns, rows.values, r);
    rows.offsets.push_back(static_cast<Index>(rows.columns.size()));
  }
  return rows;
}

TrainingRows with_constant(const TrainingRows& rows, double value) {
  if (value == 0) return rows;
  const auto last = static_cast<std::int32_t>(rows.width());
  TrainingRows longer;
  longer.features = rows.features;
  longer.features.push_back(kMaxFeatures);  // stands for no feature
  if (rows.maker) {
    longer.maker = rows.maker->changed({}, last, value);
    return longer;
  }
  for (Index r = 0; r < rows.rows(); ++r) {
    longer.append(rows, r);
    longer.columns.push_back(last);
    longer.values.push_back(value);
    ++longer.offsets.back();
  }
  return longer;
}

}  // namespace clade
