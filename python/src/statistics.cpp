#include <clade/cluster.h>
#include <clade/compare.h>
#include <clade/paired.h>
#include <fmt/format.h>

#include <cmath>

#include "arrays.h"
#include "bindings.h"
#include "experiment/results_table.h"
#include "io/input.h"
#include "report/comparison_report.h"
#include "report/critical_distance_diagram.h"

namespace clade::python {
namespace {

using PostHoc = CriticalDistanceDiagram::PostHoc;

// Ranks and tests of values that cannot be ordered would mean nothing.
std::span<const double> finite(const Array<double>& values) {
  for (const double value : span_of(values)) {
    if (!std::isfinite(value)) throw usage_error(fmt::format("a value of {}", value), "expected finite numbers");
  }
  return span_of(values);
}

Better direction(const std::string& better, const std::string& metric) {
  if (better == "auto") return better_direction(metric);
  if (better == "higher") return Better::kHigher;
  if (better == "lower") return Better::kLower;
  throw usage_error("`better`: '" + better + "'", "expected auto, higher or lower");
}

Incomplete incomplete_choice(const std::string& word) {
  if (word == "error") return Incomplete::kError;
  if (word == "drop-data") return Incomplete::kDropData;
  if (word == "drop-methods") return Incomplete::kDropMethods;
  if (word == "worst") return Incomplete::kWorst;
  throw usage_error("`incomplete`: '" + word + "'", "expected error, drop-data, drop-methods or worst");
}

// The report for programs and for people, and the diagram of critical distances.
py::tuple compared(ResultsTable table, const std::string& better, double alpha, const std::string& control,
                   const std::string& incomplete, const std::string& post_hoc, const Settings& settings) {
  table = with_incomplete(std::move(table), incomplete_choice(incomplete));
  CompareOptions options{.better = direction(better, table.metric), .alpha = alpha};
  if (!control.empty()) options.control = method_number(table, control);
  const bool is_nemenyi = post_hoc == "nemenyi";
  if (!is_nemenyi && post_hoc != "bonferroni-dunn") {
    throw usage_error("`post-hoc`: '" + post_hoc + "'", "expected nemenyi or bonferroni-dunn");
  }
  const ComparisonReport report =
      run(settings, [&](Context& ctx) { return make_comparison_report(std::move(table), options, ctx); });
  const Comparison& found = report.comparison;
  const CriticalDistanceDiagram diagram{
      .title = "Average ranks by " + report.table.metric + " on " + std::to_string(found.ranks.datasets) + " data sets",
      .methods = report.table.methods,
      .average_ranks = found.ranks.average,
      .post_hoc = is_nemenyi ? PostHoc::kNemenyi : PostHoc::kBonferroniDunn,
      .alpha = alpha,
      .distance = is_nemenyi ? found.nemenyi.distance : found.bonferroni_dunn.distance,
      .control = static_cast<std::size_t>(found.control)};
  return py::make_tuple(comparison_json(report), text_of(comparison_text(report)), critical_distance_svg(diagram));
}

}  // namespace

void bind_statistics(py::module_& module) {
  module.def(
      "compare_table",
      [](const Array<double>& values, const py::sequence& datasets, const py::sequence& methods,
         const std::string& metric, const std::string& better, double alpha, const std::string& control,
         const std::string& incomplete, const std::string& post_hoc, const Settings& settings) {
        ResultsTable table{
            .file = "results", .metric = metric, .datasets = strings_of(datasets), .methods = strings_of(methods)};
        if (values.size() != std::ssize(table.datasets) * std::ssize(table.methods)) {
          throw usage_error("values, data sets and methods do not fit", "expected a row of values per data set");
        }
        table.values.assign(values.data(), values.data() + values.size());
        return compared(std::move(table), better, alpha, control, incomplete, post_hoc, settings);
      },
      py::arg("values"), py::arg("datasets"), py::arg("methods"), py::arg("metric"), py::arg("better"),
      py::arg("alpha"), py::arg("control"), py::arg("incomplete"), py::arg("post_hoc"), py::arg("settings"));
  module.def(
      "compare_file",
      [](const FilePath& path, const std::string& metric, const std::string& better, double alpha,
         const std::string& control, const std::string& incomplete, const std::string& post_hoc,
         const Settings& settings) {
        ResultsTable table = run(settings, [&](Context& ctx) { return read_results_table(path, metric, ctx); });
        return compared(std::move(table), better, alpha, control, incomplete, post_hoc, settings);
      },
      py::arg("path"), py::arg("metric"), py::arg("better"), py::arg("alpha"), py::arg("control"),
      py::arg("incomplete"), py::arg("post_hoc"), py::arg("settings"));
  // The same for the text of such a file.
  module.def(
      "compare_text",
      [](const std::string& text, const std::string& metric, const std::string& better, double alpha,
         const std::string& control, const std::string& incomplete, const std::string& post_hoc,
         const Settings& settings) {
        ResultsTable table = parse_results_table(Input::from_bytes("results", std::string_view(text)), metric);
        return compared(std::move(table), better, alpha, control, incomplete, post_hoc, settings);
      },
      py::arg("text"), py::arg("metric"), py::arg("better"), py::arg("alpha"), py::arg("control"),
      py::arg("incomplete"), py::arg("post_hoc"), py::arg("settings"));
  module.def(
      "average_ranks",
      [](const Array<double>& scores, Index methods, bool higher_is_better) {
        Ranks ranks = average_ranks(finite(scores), methods, higher_is_better ? Better::kHigher : Better::kLower);
        return array_of(std::move(ranks.average));
      },
      py::arg("scores"), py::arg("methods"), py::arg("higher_is_better"));
  module.def("friedman", [](const Array<double>& scores, Index methods) {
    const FriedmanTest test = friedman_test(average_ranks(finite(scores), methods, Better::kHigher));
    py::dict result;
    result["chi2"] = test.chi2;
    result["p"] = test.p;
    result["chi2_tie_corrected"] = test.chi2_tie_corrected;
    result["p_tie_corrected"] = test.p_tie_corrected;
    result["degrees_of_freedom"] = test.degrees_of_freedom;
    result["kendall_w"] = test.kendall_w;
    return result;
  });
  module.def("iman_davenport", [](const Array<double>& scores, Index methods, double alpha) {
    if (!(alpha > 0 && alpha < 1)) {
      throw usage_error(fmt::format("alpha is {}", alpha), "expected a number above 0 and below 1");
    }
    const ImanDavenportTest test = iman_davenport_test(average_ranks(finite(scores), methods, Better::kHigher), alpha);
    py::dict result;
    result["f"] = test.f;
    result["p"] = test.p;
    result["df1"] = test.df1;
    result["df2"] = test.df2;
    result["critical_value"] = test.critical_value;
    return result;
  });
  module.def("nemenyi_distance", [](Index methods, Index datasets, double alpha) {
    return nemenyi_distance(methods, datasets, alpha).distance;
  });
  module.def("bonferroni_dunn_distance", [](Index methods, Index datasets, double alpha) {
    return bonferroni_dunn_distance(methods, datasets, alpha).distance;
  });
  module.def("wilcoxon", [](const Array<double>& a, const Array<double>& b) {
    const WilcoxonTest test = wilcoxon_test(paired_differences(finite(a), finite(b)));
    py::dict result;
    result["statistic"] = test.statistic;
    result["p"] = test.p;
    result["exact"] = test.exact;
    result["zeros"] = test.zeros;
    result["differences"] = test.differences;
    return result;
  });
  module.def("permutation", [](const Array<double>& a, const Array<double>& b, const Settings& settings) {
    const std::vector<double> differences = paired_differences(finite(a), finite(b));
    const PermutationTest test = run(settings, [&](Context& ctx) { return permutation_test(differences, ctx); });
    py::dict result;
    result["p"] = test.p;
    result["exact"] = test.exact;
    return result;
  });
  module.def("holm", [](const Array<double>& p) { return array_of(holm_adjusted(finite(p))); });
  module.def("mcnemar", [](Index only_a, Index only_b) {
    if (only_a < 0 || only_b < 0) throw usage_error("counts below 0", "expected how often only one is right");
    return mcnemar_test(only_a, only_b).p;
  });
  module.def("clustering_accuracy", [](const Array<Index>& classes, const Array<Index>& clusters) {
    return clustering_accuracy(span_of(classes), span_of(clusters));
  });
  module.def("normalized_mutual_information", [](const Array<Index>& classes, const Array<Index>& clusters) {
    return normalized_mutual_information(span_of(classes), span_of(clusters));
  });
}

}  // namespace clade::python
