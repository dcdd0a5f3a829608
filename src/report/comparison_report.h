#pragma once

#include <clade/compare.h>

#include <string>
#include <vector>

#include "experiment/results_table.h"

namespace clade {

// A comparison with the table it was made from, as a report shows it.
struct ComparisonReport {
  ResultsTable table;
  CompareOptions options;
  Comparison comparison;
  std::vector<std::string> notes;
};

// Compares the methods of a table; the notes are those of the table, and warnings about the result.
ComparisonReport make_comparison_report(ResultsTable table, const CompareOptions& options, Context& ctx);

// For people: ranks per data set, the tests in sentences, all pairs. The columns of the ranks are named by letters, so
// that lines stay short even with many methods.
std::string comparison_text(const ComparisonReport& report);

// For programs; docs/compare.md describes it. An infinite statistic is null.
std::string comparison_json(const ComparisonReport& report);

}  // namespace clade
