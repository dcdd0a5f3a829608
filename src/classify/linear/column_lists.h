#pragma once

#include <clade/context.h>

#include <algorithm>
#include <vector>

#include "classify/linear/training_rows.h"
#include "core/parallel.h"

namespace clade {

// Some rows of a sparse matrix by columns: of column c the entries from offsets[c] up to offsets[c + 1], rows
// ascending.
template <class T>
struct ColumnLists {
  std::vector<Index> offsets;
  std::vector<std::int32_t> place;  // of the row, counted from the first
  std::vector<T> values;
  std::vector<Index> tasks;  // begins of ranges of columns with about the same number of entries, and the end

  Index columns() const { return std::ssize(offsets) - 1; }
};

// The rows from begin to end. Cut into fixed parts, which count their entries and then put them into their places.
template <class T>
ColumnLists<T> column_lists(const TrainingRows& rows, Index begin, Index end, Context& ctx) {
  constexpr Index kEntriesPerPart = Index{1} << 17;
  constexpr Index kMostParts = 32;
  constexpr Index kEntriesPerTask = 4096;
  const auto width = static_cast<std::size_t>(rows.width());
  const Index entries = rows.offsets[static_cast<std::size_t>(end)] - rows.offsets[static_cast<std::size_t>(begin)];
  const Index parts = std::clamp<Index>(entries / kEntriesPerPart, 1, kMostParts);
  const auto first_of = [&](Index part) { return begin + part * (end - begin) / parts; };
  std::vector<std::vector<Index>> next(static_cast<std::size_t>(parts));
  parallel_for(ctx, parts, 1, [&](Index part, Index) {
    std::vector<Index>& count = next[static_cast<std::size_t>(part)];
    count.assign(width, 0);
    for (Index r = first_of(part); r < first_of(part + 1); ++r) {
      for (const std::int32_t c : rows.columns_of(r)) ++count[static_cast<std::size_t>(c)];
    }
  });
  ColumnLists<T> lists;
  lists.offsets.resize(width + 1);
  Index total = 0;
  for (std::size_t c = 0; c < width; ++c) {
    lists.offsets[c] = total;
    for (std::vector<Index>& of_part : next) {
      const Index count = of_part[c];
      of_part[c] = total;
      total += count;
    }
    if (lists.tasks.empty() || total - lists.offsets[static_cast<std::size_t>(lists.tasks.back())] > kEntriesPerTask) {
      lists.tasks.push_back(static_cast<Index>(c));
    }
  }
  lists.offsets[width] = total;
  lists.tasks.push_back(static_cast<Index>(width));
  lists.place.resize(static_cast<std::size_t>(total));
  lists.values.resize(static_cast<std::size_t>(total));
  parallel_for(ctx, parts, 1, [&](Index part, Index) {
    std::vector<Index>& to = next[static_cast<std::size_t>(part)];
    for (Index r = first_of(part); r < first_of(part + 1); ++r) {
      const auto columns = rows.columns_of(r);
      const auto values = rows.values_of(r);
      for (std::size_t e = 0; e < columns.size(); ++e) {
        const auto at = static_cast<std::size_t>(to[static_cast<std::size_t>(columns[e])]++);
        lists.place[at] = static_cast<std::int32_t>(r - begin);
        lists.values[at] = static_cast<T>(values[e]);
      }
    }
  });
  return lists;
}

}  // namespace clade
