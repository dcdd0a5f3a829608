#include <clade/io.h>
#include <clade/model.h>
#include <clade/text.h>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "cli/comma_list.h"
#include "cli/command.h"
#include "cli/read_arguments.h"
#include "report/json_text.h"
#include "report/page/experiment_page.h"
#include "report/page/model_page.h"

namespace clade::cli {
namespace {

class ReportCommand : public Command {
 public:
  std::string_view name() const override { return "report"; }
  std::string_view help() const override {
    return "write a page (HTML) about a model on labelled data, or about an experiment";
  }

  void declare(Arguments& arguments) override {
    arguments.positional("MODEL", model_, "a model from clade train, or the folder of a clade experiment");
    arguments.option("--data", "DATA", data_, "data with true labels, which the model has not seen");
    arguments.output("-o,--output", "FILE", output_, "the page: one file, which needs nothing else", true);
    arguments.flag("--force", force_, "overwrite the page if it exists");
    arguments.option(
        "--show", "COLUMN", shown_,
        "column of a table, or field of JSON lines, to show for confused samples; by default the first text");
    arguments.option("--metric", "MEASURES", metric_,
                     "of an experiment: only these measures, separated by commas; the first is shown first");
    arguments.parameters("Page", ParameterTable(options_));
    arguments.often("--data --output --force --show --title --max-texts --metric");
    read_.declare(arguments);
    arguments.examples(
        "  clade report model.clade --data test.arff -o page.html\n"
        "  clade report model.clade --data test.jsonl -o page.html --show title --max-texts 5\n"
        "  clade report model.clade --data faces.mat -o page.html --height 32 --feature-tree regions.json\n"
        "  clade report model.clade --data test.svm --taxonomy tree.csv -o page.html --title 'Test set, 2 May' "
        "--force\n"
        "  clade report study/ -o study.html --metric hierarchical_f1,tie\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
    std::error_code ignored;
    if (std::filesystem::is_directory(model_, ignored)) return report_experiment(ctx, common);
    if (!std::filesystem::exists(model_, ignored)) {
      throw input_error({.file = model_}, "no such file", "expected a model, or the folder of an experiment");
    }
    if (data_.empty()) {
      throw usage_error("no data to measure the model on",
                        "expected MODEL --data DATA, or the folder of an experiment");
    }
    if (!metric_.empty()) {
      throw usage_error("--metric has no effect on the page of a model", "expected the folder of an experiment");
    }
    check_output(output_, force_, read_.inputs({model_, data_}));
    const Model model = timed(ctx, "reading the model", [&] { return read_model(model_); });
    const LoadedData loaded =
        timed(ctx, "reading", [&] { return read_dataset(data_, reading_for(model, read_.options), ctx); });
    for (const auto& note : loaded.report.notes) ctx.info(note);
    const ModelPageNames names{model_, data_, texts_of(loaded, ctx)};
    ModelPage page = timed(ctx, "measuring", [&] { return model_page(model, loaded.data, names, options_, ctx); });
    for (const auto& note : with_flags(std::move(page.notes))) ctx.info(note);
    write_text_file(page.html, output_, force_);
    const auto bytes = static_cast<Index>(page.html.size());
    if (common.json) return print_json(json_object({{"output", output_}, {"samples", page.samples}, {"bytes", bytes}}));
    print(fmt::format("{}: {} samples, {} kB\n", output_, page.samples, (bytes + 999) / 1000));
  }

 private:
  void report_experiment(Context& ctx, const CommonOptions& common) {
    require_no_model_options();
    check_output(output_, force_, files_below(model_));
    const ExperimentPageOptions options{.title = options_.title, .measures = comma_list(metric_)};
    ExperimentPage page = timed(ctx, "reading and drawing", [&] { return experiment_page(model_, options, ctx); });
    for (const auto& note : with_flags(std::move(page.notes))) ctx.info(note);
    write_text_file(page.html, output_, force_);
    const auto bytes = static_cast<Index>(page.html.size());
    if (common.json) return print_json(json_object({{"output", output_}, {"cells", page.cells}, {"bytes", bytes}}));
    print(fmt::format("{}: {} cells, {} kB\n", output_, page.cells, (bytes + 999) / 1000));
  }

  // All that a run has written there.
  static std::vector<std::string> files_below(const std::string& folder) {
    std::vector<std::string> files;
    std::error_code failure;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, failure)) {
      if (!entry.path().filename().string().ends_with(".html")) files.push_back(entry.path().string());
    }
    return files;
  }

  void require_no_model_options() {
    const auto refuse = [](std::string_view flag) {
      throw usage_error(fmt::format("--{} has no effect on the page of an experiment", flag),
                        "expected a model with it");
    };
    if (!data_.empty()) refuse("data");
    if (!shown_.empty()) refuse("show");
    ModelPageOptions usual;
    const ParameterTable given(options_);
    const ParameterTable defaults(usual);
    for (std::size_t k = 0; k < given.parameters().size(); ++k) {
      const Parameter& parameter = given.parameters()[k];
      if (parameter.name != "title" && parameter.get() != defaults.parameters()[k].get()) refuse(parameter.name);
    }
    ReadArguments unread;
    for (const auto& parameters : {general_parameters, label_parameters, table_parameters, text_parameters}) {
      const ParameterTable read = parameters(read_.options);
      const ParameterTable plain = parameters(unread.options);
      for (std::size_t k = 0; k < read.parameters().size(); ++k) {
        if (read.parameters()[k].get() != plain.parameters()[k].get()) refuse(read.parameters()[k].name);
      }
    }
  }

  // The column whose texts are shown; empty: there is none.
  std::string shown_column(const LoadedData& loaded) const {
    if (!shown_.empty()) return shown_;
    const bool is_table = loaded.report.format == "csv" || loaded.report.format == "tsv";
    const bool is_json = loaded.report.format == "json-lines";
    if (!loaded.data.vectorizer() || (!is_table && !is_json)) return {};
    const auto& columns = loaded.data.vectorizer()->options.columns;
    const auto text = std::ranges::find(columns, ColumnKind::kText, &DataColumn::kind);
    if (text != columns.end()) return text->name;
    return is_json ? read_.options.text_field : std::string();
  }

  std::vector<std::string> texts_of(const LoadedData& loaded, Context& ctx) const {
    const std::string column = shown_column(loaded);
    if (column.empty()) return {};
    std::vector<std::string> texts;
    try {
      for (ColumnCell& cell : read_column(data_, read_.options, column, ctx)) texts.push_back(std::move(cell.text));
    } catch (const Error& error) {
      if (!shown_.empty() || error.kind() != Error::Kind::kInput) throw;
      return {};  // documents may be lists of words
    }
    if (std::ssize(texts) == loaded.data.samples()) return texts;
    if (!shown_.empty()) {
      throw input_error({.file = data_},
                        fmt::format("--show: {} rows for {} samples", texts.size(), loaded.data.samples()),
                        "expected a sample in every row");
    }
    return {};
  }

  std::string model_;
  std::string data_;
  std::string output_;
  std::string shown_;
  std::string metric_;
  bool force_ = false;
  ModelPageOptions options_;
  ReadArguments read_;
};

}  // namespace

std::unique_ptr<Command> make_report_command() {
  return std::make_unique<ReportCommand>();
}

}  // namespace clade::cli
