#include <clade/error.h>
#include <clade/experiment.h>
#include <clade/team.h>
#include <fmt/format.h>

#include "cli/command.h"
#include "report/experiment_report.h"

namespace clade::cli {
namespace {

class ExperimentCommand : public Command {
 public:
  std::string_view name() const override { return "experiment"; }
  std::string_view help() const override { return "run many recipes on many data sets, and compare them"; }

  // Nothing of a dry run is shared.
  bool is_shared() const override { return !dry_run_; }

  void declare(Arguments& arguments) override {
    arguments.positional("SPEC", path_, "the experiment: a TOML file with data sets and recipes");
    arguments.output("-o,--output", "FOLDER", folder_, "folder for the results");
    arguments.flag("--dry-run", dry_run_, "show the cells, and what they will take, and run none");
    arguments.parameters("Running", ParameterTable(options_));
    arguments.examples(
        "  clade experiment study.toml --dry-run\n"
        "  clade experiment study.toml -o study/\n"
        "  clade experiment study.toml -o study/ --resume --memory 8G\n"
        "  clade compare study/ --metric hierarchical_f1 --diagram ranks.svg\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
    const Experiment experiment = read_experiment(path_, ctx.seed());
    if (dry_run_) {
      if (options_.resume) throw usage_error("--resume has no effect", "expected no --dry-run with it");
      const std::vector<CellEstimate> estimates = estimate_experiment(experiment, ctx);
      if (common.json) return print_json(estimate_json(experiment, estimates, ctx.threads()));
      return print(estimate_text(experiment, estimates, ctx.threads()));
    }
    if (folder_.empty()) throw usage_error("nowhere to put the results", "expected -o FOLDER, or --dry-run");
    const ExperimentOutcome outcome = run_experiment(experiment, folder_, options_, ctx);
    if (!leads(ctx)) return;
    ctx.log(LogLevel::kDebug, fmt::format("work of the cells: {:.3f} s", outcome.cell_seconds));
    if (common.json) {
      print_json(outcome_json(outcome, folder_));
    } else {
      print(outcome_text(outcome, folder_));
    }
    if (!outcome.failed.empty()) {
      throw Error(Error::Kind::kSystem, {},
                  fmt::format("cells that failed: {} of {}", outcome.failed.size(), outcome.cells),
                  fmt::format("{}/summary.json has their errors", folder_));
    }
  }

 private:
  std::string path_;
  std::string folder_;
  bool dry_run_ = false;
  ExperimentOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_experiment_command() {
  return std::make_unique<ExperimentCommand>();
}

}  // namespace clade::cli
