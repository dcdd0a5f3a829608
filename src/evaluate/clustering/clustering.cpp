#include <clade/cluster.h>
#include <clade/error.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "evaluate/clustering/contingency.h"
#include "math/assignment.h"

namespace clade {
namespace {

// The matrix of the matching is dense: 1 GB of it.
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
  const Contingency table = Contingency::of(classes, clusters);
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
  const Contingency table = Contingency::of(classes, clusters);
  if (table.rows.size() == 1 && table.columns.size() == 1) return 1;
  if (table.rows.size() == 1 || table.columns.size() == 1) return 0;
  const double mean = std::sqrt(entropy(table.rows, table.samples) * entropy(table.columns, table.samples));
  return std::clamp(mutual_information(table) / mean, 0.0, 1.0);
}

}  // namespace clade
