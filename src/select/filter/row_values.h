#pragma once

#include <clade/dataset.h>

#include <algorithm>

namespace clade {

// Features of a table are worked through in ranges, so that threads share no sums. At most this many ranges, because
// each looks for its place in every sparse row; at least kFewestFeatures each, because dense rows are read in pieces.
constexpr Index kMostFeatureRanges = 16;
constexpr Index kFewestFeatures = 256;
inline Index feature_grain(Index features) {
  return std::max(kFewestFeatures, (features + kMostFeatureRanges - 1) / kMostFeatureRanges);
}

// Calls visit(feature, value) for the stored values of a row with features in [begin, end), ascending, as double.
// O(values visited), for sparse rows plus a binary search.
template <class Visit>
void for_each_value_between(const Dataset& data, Index sample, Index begin, Index end, Visit&& visit) {
  const Index row = data.source_row(sample);
  std::visit(
      [&](const auto& m) {
        if constexpr (requires { m.indices; }) {
          const auto columns = m.row_indices(row);
          const auto values = m.row_values(row);
          auto k = static_cast<std::size_t>(std::lower_bound(columns.begin(), columns.end(), begin) - columns.begin());
          for (; k < columns.size() && columns[k] < end; ++k) visit(Index{columns[k]}, static_cast<double>(values[k]));
        } else {
          const auto* values = m.row(row).data();
          for (Index k = begin; k < end; ++k) visit(k, static_cast<double>(values[k]));
        }
      },
      data.matrix());
}

}  // namespace clade
