#pragma once

#include <clade/dataset.h>

#include <algorithm>

namespace clade {

// The features of a table are processed in ranges, so that threads share no sums. There are at most this many ranges,
// because each searches for its start in every sparse row, and each has at least kFewestFeatures, because dense rows
// are read in pieces.
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

// Calls visit(feature, x_i - x_j) for the features in [begin, end), ascending, that either row stores.
template <class Visit>
void for_each_difference_between(const Dataset& data, Index i, Index j, Index begin, Index end, Visit&& visit) {
  const Index a = data.source_row(i);
  const Index b = data.source_row(j);
  std::visit(
      [&](const auto& m) {
        if constexpr (requires { m.indices; }) {
          const auto left = m.row_indices(a);
          const auto right = m.row_indices(b);
          auto k = static_cast<std::size_t>(std::lower_bound(left.begin(), left.end(), begin) - left.begin());
          auto l = static_cast<std::size_t>(std::lower_bound(right.begin(), right.end(), begin) - right.begin());
          while (true) {
            const Index next_left = k < left.size() ? left[k] : end;
            const Index next_right = l < right.size() ? right[l] : end;
            const Index f = std::min(next_left, next_right);
            if (f >= end) return;
            const double x = next_left == f ? static_cast<double>(m.row_values(a)[k++]) : 0;
            const double y = next_right == f ? static_cast<double>(m.row_values(b)[l++]) : 0;
            visit(f, x - y);
          }
        } else {
          const auto* const left = m.row(a).data();
          const auto* const right = m.row(b).data();
          for (Index f = begin; f < end; ++f) visit(f, static_cast<double>(left[f]) - static_cast<double>(right[f]));
        }
      },
      data.matrix());
}

}  // namespace clade
