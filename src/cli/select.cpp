#include <clade/io.h>
#include <clade/select.h>
#include <fmt/format.h>

#include <filesystem>

#include "cli/comma_list.h"
#include "cli/command.h"
#include "cli/read_arguments.h"
#include "cli/team_arguments.h"
#include "report/convergence_report.h"
#include "report/ranking_report.h"

namespace clade::cli {
namespace {

class SelectCommand : public Command {
 public:
  std::string_view name() const override { return "select"; }
  std::string_view help() const override { return "rank the features at every node of the class hierarchy"; }

  bool is_shared() const override { return true; }

  void declare(Arguments& arguments) override {
    arguments.positional("DATA", path_, "data set to select features on", false);
    arguments.option("--method", "METHOD", options_.method, "the selector; --list shows all");
    arguments.output("-o,--output", "FILE", output_, "file for the ranking: JSON, or a table if its name ends in .csv");
    arguments.output("--convergence", "FILE", convergence_,
                     "file for what the selector minimised, by iteration: a table (.csv) or a chart (.svg)");
    arguments.option("--top", "COUNT", top_, "features to keep at each node: a number, or a share such as 10%");
    arguments.option("--nodes", "NODES", nodes_, "only these inner nodes, separated by commas");
    arguments.option("--memory", "SIZE", options_.memory,
                     "memory for the work, beside the data, such as 4G (default: most of it)");
    arguments.flag("--by-rows", by_rows_,
                   "every process reads its share of the rows of DATA, a file or a folder of parts, so that none needs "
                   "memory for all of it");
    arguments.flag("--list", list_, "show the selectors with their parameters");
    arguments.flag("--force", force_, "overwrite outputs that exist");
    arguments.parameters("Before selecting", ParameterTable(options_));
    arguments.parameters("Parameters of the selectors", {"--method", "selector", selectors()}, options_.parameters);
    arguments.often("--output --method --top --nodes --list --force");
    team_.declare(arguments);
    read_.declare(arguments);
    arguments.examples(
        "  clade select train.arff --method hirr-fam -o ranking.json\n"
        "  clade select train.svm --taxonomy tree.csv --method hier-fs --lambda 5 --top 10% -o ranking.json\n"
        "  clade select DDTrain.mat --method hirr-fam --as-published --start random --seed 1148630569 -o dd.json\n"
        "  clade select train.arff --method fisher -o ranking.csv\n"
        "  clade select train.arff --method hier-fs --iterations 50 --convergence steps.svg\n"
        "  mpirun -np 16 clade select train.svm --method hier-fs --by-rows --work w/ -o ranking.json\n"
        "  clade select --list\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
    if (list_) return show_methods(selectors(), common.json);
    if (path_.empty()) throw usage_error("nothing to select on", "expected DATA and --method M");
    if (options_.method.empty()) {
      throw usage_error("no method to select with", "expected --method M; clade select --list shows the methods");
    }
    // Errors in the request are reported before the work.
    options_.top = top_;
    options_.nodes = comma_list(nodes_);
    check_request(options_);
    if (!output_.empty() && leads(ctx)) check_output(output_, force_, read_.inputs({path_}));
    check_convergence(ctx);
    const std::vector<std::string> parts = by_rows_ ? data_files(path_, read_.options) : std::vector<std::string>();
    const LoadedData loaded = timed(ctx, "reading", [&] {
      return by_rows_ ? read_by_rows(parts, read_.options, ctx) : read_dataset(path_, read_.options, ctx);
    });
    if (loaded.data.samples() == 0) throw input_error({.file = path_}, "no samples", "expected some to select by");
    for (const auto& note : loaded.report.notes) ctx.info(note);
    if (by_rows_) {
      team_.begin_by_rows(loaded.data, parts, {}, common, ctx);
    } else {
      team_.begin(loaded.data, {}, common, ctx);
    }
    FeatureRanking ranking = timed(ctx, "selecting", [&] { return select(loaded.data, options_, ctx); });
    ranking.notes = with_flags(std::move(ranking.notes));
    for (const auto& note : ranking.notes) ctx.info(note);
    if (!leads(ctx)) return;
    if (!convergence_.empty()) write_convergence(ranking);
    if (!output_.empty()) write_ranking(ranking, loaded.data, output_, force_);
    if (common.json) return print_json(ranking_json_text(ranking, loaded.data));
    print(ranking_text(ranking, loaded.data));
    if (!output_.empty()) print(fmt::format("\nranking -> {}\n", output_));
    if (!convergence_.empty()) print(fmt::format("\nconvergence -> {}\n", convergence_));
  }

 private:
  void check_convergence(Context& ctx) {
    if (convergence_.empty()) return;
    if (!convergence_.ends_with(".csv") && !convergence_.ends_with(".svg")) {
      throw usage_error(fmt::format("--convergence: '{}' is neither a table nor a chart", convergence_),
                        "expected a name that ends in .csv or .svg");
    }
    if (convergence_ == output_) throw usage_error("--convergence and --output are one file", "expected two");
    if (leads(ctx)) check_output(convergence_, force_, read_.inputs({path_}));
  }

  void write_convergence(const FeatureRanking& ranking) const {
    if (ranking.objective.empty()) {
      throw usage_error(fmt::format("--convergence: {} minimises nothing by iterations", ranking.method),
                        "expected a selector that does");
    }
    write_text_file(convergence_.ends_with(".csv") ? convergence_csv(ranking) : convergence_svg(ranking), convergence_,
                    force_);
  }

  std::string path_;
  std::string output_;
  std::string convergence_;
  std::string top_;
  std::string nodes_;
  bool by_rows_ = false;
  bool list_ = false;
  bool force_ = false;
  SelectOptions options_;
  TeamArguments team_;
  ReadArguments read_;
};

}  // namespace

std::unique_ptr<Command> make_select_command() {
  return std::make_unique<SelectCommand>();
}

}  // namespace clade::cli
