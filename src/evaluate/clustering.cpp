#include <clade/cluster.h>
#include <clade/error.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "math/assignment.h"

namespace clade {
namespace {

// How often each class meets each cluster: only pairs that occur, so that memory is linear in the samples, however many
// classes and clusters there are. Both are renumbered 0, 1, ... in ascending order.
struct Contingency {
  struct Cell {
    Index row = 0;     // class
    Index column = 0;  // cluster
    Index samples = 0;
  };
  std::vector<Cell> cells;  // by row, then by column
  std::vector<Index> rows;  // samples of each class
  std::vector<Index> columns;
  Index samples = 0;
};

// Replaces numbers by their ranks 0, 1, ... and returns how often each occurs.
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

// Throws Error (kInput) if there are no samples, the spans differ in size, or a number is negative.
Contingency contingency(std::span<const Index> classes, std::span<const Index> clusters) {
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

// The matching needs a dense matrix: at most 1 GB.
constexpr Index kMostPairs = Index{1} << 27U;

double entropy(std::span<const Index> counts, Index samples) {
  const auto n = static_cast<double>(samples);
  double sum = 0;
  for (const Index count : counts) {
    const double share = static_cast<double>(count) / n;
    sum -= share * std::log(share);
  }
  return sum;
}

double mutual_information(const Contingency& table) {
  const auto n = static_cast<double>(table.samples);
  double sum = 0;
  for (const Contingency::Cell& cell : table.cells) {
    const auto both = static_cast<double>(cell.samples);
    const auto in_row = static_cast<double>(table.rows[static_cast<std::size_t>(cell.row)]);
    const auto in_column = static_cast<double>(table.columns[static_cast<std::size_t>(cell.column)]);
    sum += both / n * (std::log(both / in_row) - std::log(in_column / n));
  }
  return sum;
}

}  // namespace

double clustering_accuracy(std::span<const Index> classes, std::span<const Index> clusters) {
  const Contingency table = contingency(classes, clusters);
  const bool turned = table.rows.size() > table.columns.size();  // the solver wants the shorter side as rows
  const Index rows = std::ssize(turned ? table.columns : table.rows);
  const Index columns = std::ssize(turned ? table.rows : table.columns);
  if (rows > kMostPairs / columns) {
    throw usage_error(
        fmt::format("{} classes and {} clusters are too many to match", table.rows.size(), table.columns.size()),
        fmt::format("expected at most {} pairs", kMostPairs));
  }
  std::vector<double> costs(static_cast<std::size_t>(rows * columns), 0.0);
  for (const Contingency::Cell& cell : table.cells) {
    const Index at = turned ? cell.column * columns + cell.row : cell.row * columns + cell.column;
    costs[static_cast<std::size_t>(at)] = -static_cast<double>(cell.samples);
  }
  const std::vector<Index> column_of = least_cost_assignment(costs, rows, columns);
  double matched = 0;
  for (Index row = 0; row < rows; ++row) {
    matched -= costs[static_cast<std::size_t>(row * columns + column_of[static_cast<std::size_t>(row)])];
  }
  return matched / static_cast<double>(table.samples);
}

double normalized_mutual_information(std::span<const Index> classes, std::span<const Index> clusters) {
  const Contingency table = contingency(classes, clusters);
  if (table.rows.size() == 1 && table.columns.size() == 1) return 1;
  if (table.rows.size() == 1 || table.columns.size() == 1) return 0;
  const double mean = std::sqrt(entropy(table.rows, table.samples) * entropy(table.columns, table.samples));
  return std::clamp(mutual_information(table) / mean, 0.0, 1.0);
}

}  // namespace clade
