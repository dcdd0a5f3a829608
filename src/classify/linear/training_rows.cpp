#include "classify/linear/training_rows.h"

#include <algorithm>
#include <utility>

#include "core/large_memory.h"
#include "core/parallel.h"

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

namespace {

// Copies all rows, each to where it would begin if no row had zeros; where some have, the rows then move together.
void copy_rows(const RowMaker& maker, std::vector<Index> begin, TrainingRows& rows, Context& ctx) {
  constexpr Index kRowsPerCopy = 512;
  rows.columns.resize(static_cast<std::size_t>(begin.back()));
  rows.values.resize(rows.columns.size());
  std::vector<Index> count(begin.size() - 1);
  parallel_for(ctx, std::ssize(count), kRowsPerCopy, [&](Index first, Index end) {
    for (auto r = static_cast<std::size_t>(first); r < static_cast<std::size_t>(end); ++r) {
      count[r] = maker.make(static_cast<Index>(r), rows.columns.data() + begin[r], rows.values.data() + begin[r]);
    }
  });
  rows.offsets.resize(begin.size());
  for (std::size_t r = 0; r < count.size(); ++r) {
    const Index to = rows.offsets[r];
    rows.offsets[r + 1] = to + count[r];
    if (to == begin[r]) continue;
    std::copy_n(rows.columns.begin() + begin[r], count[r], rows.columns.begin() + to);
    std::copy_n(rows.values.begin() + begin[r], count[r], rows.values.begin() + to);
  }
  rows.columns.resize(static_cast<std::size_t>(rows.offsets.back()));
  rows.values.resize(rows.columns.size());
}

}  // namespace

TrainingRows training_rows(const Dataset& data, std::span<const Index> samples, const RowOptions& options,
                           Context& ctx) {
  auto maker = std::make_shared<const RowMaker>(data, samples, options, ctx);
  TrainingRows rows;
  rows.features = maker->features();
  std::vector<Index> begin{0};
  begin.reserve(samples.size() + 1);
  for (Index r = 0; r < maker->rows(); ++r) begin.push_back(begin.back() + maker->most_values(r));
  const auto most = static_cast<std::size_t>(begin.back());
  if (options.may_be_made && is_beyond_limit(most * (sizeof(double) + sizeof(std::int32_t)))) {
    rows.maker = std::move(maker);
    return rows;
  }
  copy_rows(*maker, std::move(begin), rows, ctx);
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
