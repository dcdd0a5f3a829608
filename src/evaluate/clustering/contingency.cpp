#include "evaluate/clustering/contingency.h"

#include <clade/error.h>
#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace clade {
namespace {

// Replaces numbers by their ranks 0, 1, ...; returns how often each occurs.
std::vector<Index> renumber(std::span<const Index> numbers, std::vector<Index>& ranks) {
  std::vector<Index> values(numbers.begin(), numbers.end());
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.front() < 0) throw usage_error(fmt::format("group {}", values.front()), "expected numbers from 0");
  std::vector<Index> counts(values.size(), 0);
  ranks.reserve(numbers.size());
  for (const Index number : numbers) {
    ranks.push_back(std::lower_bound(values.begin(), values.end(), number) - values.begin());
    ++counts[static_cast<std::size_t>(ranks.back())];
  }
  return counts;
}

}  // namespace

Contingency Contingency::of(std::span<const Index> classes, std::span<const Index> clusters) {
  if (classes.size() != clusters.size()) {
    throw usage_error(fmt::format("classes of {} samples and clusters of {}", classes.size(), clusters.size()),
                      "expected one of each per sample");
  }
  if (classes.empty()) throw usage_error("clusters of no samples", "expected one sample at least");
  Contingency table;
  table.samples = std::ssize(classes);
  std::vector<Index> rows;
  std::vector<Index> columns;
  table.rows = renumber(classes, rows);
  table.columns = renumber(clusters, columns);
  std::vector<std::pair<Index, Index>> pairs;
  pairs.reserve(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) pairs.emplace_back(rows[k], columns[k]);
  std::sort(pairs.begin(), pairs.end());
  for (const auto& [row, column] : pairs) {
    const bool known = !table.cells.empty() && table.cells.back().row == row && table.cells.back().column == column;
    if (!known) table.cells.push_back({.row = row, .column = column});
    ++table.cells.back().samples;
  }
  return table;
}

}  // namespace clade
