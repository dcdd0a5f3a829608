#pragma once

#include <clade/context.h>
#include <clade/dataset.h>

#include <numeric>
#include <span>
#include <vector>

#include "classify/linear/feature_scale.h"
#include "classify/linear/training_rows.h"
#include "data/kernel/kernel_samples.h"

namespace clade {

// Samples as a kernel compares them: scaled, with only the given features (ascending; empty: all).
inline KernelArrays kernel_arrays(const Dataset& data, std::span<const Index> samples,
                                  std::span<const FeatureIndex> features, const FeatureScale& scale, bool has_unit_rows,
                                  Context& ctx) {
  // Where scales shift values, a feature counts even if all these samples have 0.
  std::vector<FeatureIndex> all;
  if (features.empty() && !scale.is_none()) {
    all.resize(static_cast<std::size_t>(data.features()));
    std::iota(all.begin(), all.end(), FeatureIndex{0});
    features = all;
  }
  const TrainingRows rows = training_rows(
      data, samples,
      {.features = features, .has_unit_length = has_unit_rows, .scale = scale.is_none() ? nullptr : &scale}, ctx);
  KernelArrays arrays{.width = data.features(),
                      .offsets = rows.offsets,
                      .columns = {},
                      .values = {rows.values.begin(), rows.values.end()}};
  arrays.columns.reserve(rows.columns.size());
  for (const std::int32_t column : rows.columns) {
    arrays.columns.push_back(rows.features[static_cast<std::size_t>(column)]);
  }
  return arrays;
}

}  // namespace clade
