#include "report/comparison_report.h"

#include <fmt/core.h>

#include <cmath>

namespace clade {
namespace {

// Below this the chi-squared and F distributions are rough approximations (Demsar 2006: N > 10 and k > 5 for chi2), and
// Wilcoxon's test cannot reach 0.05 at all.
constexpr Index kFewDatasets = 6;

void add_cautions(const Comparison& comparison, std::vector<std::string>& notes) {
  const Index datasets = comparison.ranks.datasets;
  if (datasets < kFewDatasets) {
    notes.push_back(fmt::format(
        "{} data sets are few: the p-values of Friedman and Iman-Davenport are rough, and no Wilcoxon or permutation p "
        "can be below {:.3g}",
        datasets, std::exp2(1.0 - static_cast<double>(datasets))));
  }
  if (std::isinf(comparison.iman_davenport.f)) {
    notes.emplace_back("all data sets rank the methods alike: F_F is infinite");
  }
}

}  // namespace

ComparisonReport make_comparison_report(ResultsTable table, const CompareOptions& options, Context& ctx) {
  ComparisonReport report;
  report.comparison = compare_methods(table.values, std::ssize(table.methods), options, ctx);
  report.notes = table.notes;
  add_cautions(report.comparison, report.notes);
  report.table = std::move(table);
  report.options = options;
  return report;
}

}  // namespace clade
