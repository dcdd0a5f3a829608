#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "experiment/results_table.h"
#include "io/lines.h"

namespace clade {
namespace {

Error missing_value(const ResultsTable& table, std::size_t cell) {
  const std::size_t methods = table.methods.size();
  return input_error({.file = table.file},
                     fmt::format("no {} of '{}' on '{}'", shown(table.metric), shown(table.methods[cell % methods]),
                                 shown(table.datasets[cell / methods])),
                     "expected every method on every data set (`drop-incomplete` leaves such data sets out)");
}

// The rows and columns of a table that stay.
struct Kept {
  std::vector<bool> datasets;
  std::vector<bool> methods;
};

std::vector<std::string> kept_names(const std::vector<std::string>& names, const std::vector<bool>& kept) {
  std::vector<std::string> result;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (kept[k]) result.push_back(names[k]);
  }
  return result;
}

std::string dropped_names(const std::vector<std::string>& names, const std::vector<bool>& kept) {
  constexpr std::size_t kMost = 8;
  std::string text;
  std::size_t count = 0;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (kept[k]) continue;
    if (count < kMost) text += (count == 0 ? "" : ", ") + shown(names[k]);
    ++count;
  }
  return count > kMost ? fmt::format("{}, ... ({} in all)", text, count) : text;
}

ResultsTable part(const ResultsTable& table, const Kept& kept) {
  ResultsTable result{.file = table.file,
                      .metric = table.metric,
                      .datasets = kept_names(table.datasets, kept.datasets),
                      .methods = kept_names(table.methods, kept.methods),
                      .values = {},
                      .notes = table.notes};
  for (std::size_t cell = 0; cell < table.values.size(); ++cell) {
    if (kept.datasets[cell / table.methods.size()] && kept.methods[cell % table.methods.size()]) {
      result.values.push_back(table.values[cell]);
    }
  }
  return result;
}

ResultsTable without_incomplete(const ResultsTable& table, Incomplete choice) {
  Kept kept{std::vector<bool>(table.datasets.size(), true), std::vector<bool>(table.methods.size(), true)};
  for (std::size_t cell = 0; cell < table.values.size(); ++cell) {
    if (!std::isnan(table.values[cell])) continue;
    if (choice == Incomplete::kDropData) kept.datasets[cell / table.methods.size()] = false;
    if (choice == Incomplete::kDropMethods) kept.methods[cell % table.methods.size()] = false;
  }
  ResultsTable result = part(table, kept);
  if (choice == Incomplete::kDropData) {
    result.notes.push_back(fmt::format("left out data sets on which a method is missing: {}",
                                       dropped_names(table.datasets, kept.datasets)));
  } else {
    result.notes.push_back(
        fmt::format("left out methods that are missing on a data set: {}", dropped_names(table.methods, kept.methods)));
  }
  return result;
}

std::string worst_note(const ResultsTable& table) {
  const auto missing = std::count_if(table.values.begin(), table.values.end(), [](double v) { return std::isnan(v); });
  return fmt::format(
      "{} of {} values are missing: they rank behind all others, and tests of pairs use the data sets on which both "
      "methods have a value",
      missing, table.values.size());
}

void check_size(const ResultsTable& table) {
  const auto check = [&](std::size_t count, std::string_view what) {
    if (count >= 2) return;
    throw input_error({.file = table.file}, fmt::format("{} left to compare: {}", what, count), "expected at least 2");
  };
  check(table.methods.size(), "methods");
  check(table.datasets.size(), "data sets");
}

}  // namespace

ResultsTable with_incomplete(ResultsTable table, Incomplete choice) {
  const auto first = std::find_if(table.values.begin(), table.values.end(), [](double v) { return std::isnan(v); });
  if (first != table.values.end()) {
    if (choice == Incomplete::kError)
      throw missing_value(table, static_cast<std::size_t>(first - table.values.begin()));
    if (choice == Incomplete::kWorst) {
      table.notes.push_back(worst_note(table));
    } else {
      table = without_incomplete(table, choice);
    }
  }
  check_size(table);
  return table;
}

}  // namespace clade
