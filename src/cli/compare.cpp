#include <clade/compare.h>
#include <clade/io.h>
#include <clade/model.h>
#include <clade/paired.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "cli/command.h"
#include "cli/read_arguments.h"
#include "report/compare_parameters.h"
#include "report/comparison_report.h"
#include "report/critical_distance_diagram.h"
#include "report/paired_report.h"

namespace clade::cli {
namespace {

using PostHoc = CriticalDistanceDiagram::PostHoc;

class CompareCommand : public Command {
 public:
  std::string_view name() const override { return "compare"; }
  std::string_view help() const override {
    return "compare methods over several data sets, or two models on one, by statistical tests";
  }

  void declare(Arguments& arguments) override {
    arguments.positional("RESULTS", path_, "table of results (CSV, TSV), or a folder with results.csv; or a model");
    arguments.positional("MODEL", second_, "another model, where RESULTS is one", false);
    arguments.option("--data", "DATA", data_, "compare two models on the samples of this data set");
    arguments.output("--diagram", "FILE", diagram_path_, "write a critical-distance diagram (SVG)");
    arguments.parameters("Comparing", ParameterTable(parameters_));
    arguments.parameters("Diagram", ParameterTable(diagram_));
    arguments.parameters("Comparing two models", ParameterTable(paired_));
    arguments.often("--metric --control --alpha --diagram --data --force");
    read_.declare(arguments);
    arguments.examples(
        "  clade compare results.csv --metric hierarchical_f1\n"
        "  clade compare old.clade new.clade --data test.arff\n"
        "  clade compare results.csv --metric seconds --control hirr-fam --alpha 0.1\n"
        "  clade compare table.csv --metric f1 --incomplete worst --diagram ranks.svg\n"
        "  clade compare runs/ --metric tie --post-hoc bonferroni-dunn --diagram ranks.svg --force --json\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
    if (second_.empty() != data_.empty()) {
      throw usage_error("two models are compared on a data set", "expected MODEL MODEL --data DATA");
    }
    if (!second_.empty()) return compare_two(ctx, common);
    const Incomplete incomplete = incomplete_choice();
    ResultsTable table = with_incomplete(read_results_table(results_path(), parameters_.metric, ctx), incomplete);
    const CompareOptions options = options_for(table);
    if (!diagram_path_.empty()) {
      const std::string inputs[] = {results_path()};
      check_output(diagram_path_, diagram_.force, inputs);
    }
    const ComparisonReport report = make_comparison_report(std::move(table), options, ctx);
    if (!diagram_path_.empty()) {
      write_text_file(critical_distance_svg(diagram_of(report)), diagram_path_, diagram_.force);
    }
    if (common.json) return print_json(comparison_json(report));
    print(comparison_text(report));
  }

 private:
  LoadedData read_for(const Model& model, Context& ctx) const {
    LoadedData loaded = read_dataset(data_, reading_for(model, read_.options), ctx);
    for (const auto& note : loaded.report.notes) ctx.info(note);
    return loaded;
  }

  void compare_two(Context& ctx, const CommonOptions& common) const {
    const Context::NotesOnce once(ctx);
    const Model a = read_model(path_);
    const Model b = read_model(second_);
    const LoadedData data_a = read_for(a, ctx);
    const LoadedData data_b = read_for(b, ctx);
    const PairedComparison comparison = compare_models(a, data_a.data, b, data_b.data, paired_, ctx);
    for (const auto& note : comparison.notes) ctx.info(note);
    if (common.json) return print_json(paired_json(comparison, path_, second_));
    print(paired_text(comparison, path_, second_));
  }

  std::string results_path() const {
    std::error_code ignored;
    if (!std::filesystem::is_directory(path_, ignored)) return path_;
    return (std::filesystem::path(path_) / "results.csv").string();
  }

  Incomplete incomplete_choice() const {
    if (!parameters_.drop_incomplete) return parameters_.incomplete;
    if (parameters_.incomplete != Incomplete::kError && parameters_.incomplete != Incomplete::kDropData) {
      throw usage_error("--drop-incomplete together with another --incomplete", "expected one of them");
    }
    return Incomplete::kDropData;
  }

  CompareOptions options_for(const ResultsTable& table) const {
    CompareOptions options;
    options.alpha = parameters_.alpha;
    options.better = parameters_.better == MeasureDirection::kAuto     ? better_direction(table.metric)
                     : parameters_.better == MeasureDirection::kHigher ? Better::kHigher
                                                                       : Better::kLower;
    if (!parameters_.control.empty()) options.control = method_number(table, parameters_.control);
    return options;
  }

  CriticalDistanceDiagram diagram_of(const ComparisonReport& report) const {
    const Comparison& comparison = report.comparison;
    const bool nemenyi = diagram_.post_hoc == PostHoc::kNemenyi;
    return {.title = fmt::format("Average ranks by {} on {} data sets", report.table.metric, comparison.ranks.datasets),
            .methods = report.table.methods,
            .average_ranks = comparison.ranks.average,
            .post_hoc = diagram_.post_hoc,
            .alpha = report.options.alpha,
            .distance = nemenyi ? comparison.nemenyi.distance : comparison.bonferroni_dunn.distance,
            .control = static_cast<std::size_t>(comparison.control)};
  }

  std::string path_;
  std::string second_;
  std::string data_;
  std::string diagram_path_;
  CompareParameters parameters_;
  DiagramParameters diagram_;
  PairedOptions paired_;
  ReadArguments read_{Missing::kKeep};
};

}  // namespace

std::unique_ptr<Command> make_compare_command() {
  return std::make_unique<CompareCommand>();
}

}  // namespace clade::cli
