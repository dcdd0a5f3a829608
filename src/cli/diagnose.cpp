#include <clade/diagnose.h>
#include <clade/io.h>
#include <fmt/format.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/read_arguments.h"
#include "report/diagnosis_report.h"

namespace clade::cli {
namespace {

class DiagnoseCommand : public Command {
 public:
  std::string_view name() const override { return "diagnose"; }
  std::string_view help() const override { return "say whether a hierarchy fits the data, and what would fit better"; }

  void declare(Arguments& arguments) override {
    arguments.positional("DATA", path_, "data set with labels");
    arguments.output("-o,--output", "FILE", output_, "write the hierarchy with the proposed edits, such as better.csv");
    arguments.option("--classifier", "METHOD", options_.recipe.classifier,
                     "the classifier that is cross-validated (default: a quick one that decides node by node)");
    arguments.flag("--force", force_, "overwrite the output if it exists");
    arguments.parameters("Diagnosis", ParameterTable(options_));
    arguments.parameters("Parameters of the classifiers", {"--classifier", "classifier", classifiers()},
                         options_.recipe.parameters);
    arguments.often("--output --classifier --folds --draws --edits --force");
    read_.declare(arguments);
    arguments.examples(
        "  clade diagnose train.arff\n"
        "  clade diagnose train.csv --taxonomy tree.csv -o better.csv\n"
        "  clade diagnose documents/ --folds 3 --draws 5\n"
        "  clade diagnose train.arff --classifier top-down-logistic --json\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
    check();
    read_.options.keep_words = true;
    const LoadedData loaded = timed(ctx, "reading", [&] { return read_dataset(path_, read_.options, ctx); });
    for (const auto& note : loaded.report.notes) ctx.info(note);
    Diagnosis found = timed(ctx, "diagnosing", [&] { return diagnose(loaded.data, options_, ctx); });
    found.classifier = with_flags(found.classifier);
    found.left_out = with_flags(std::move(found.left_out));
    for (HierarchyTrial& trial : found.trials) trial.problem = with_flags(trial.problem);
    std::vector<std::string> files;
    if (!output_.empty()) {
      WriteOptions write;
      write.overwrite = force_;
      write_taxonomy(found.edited, output_, write, ctx);
      files.push_back(output_);
    }
    if (common.json) return print_json(diagnosis_json(found, path_, files));
    print(diagnosis_text(found, path_));
    if (files.empty()) return;
    const bool is_changed = std::ranges::any_of(found.edits, &TaxonomyEdit::is_accepted);
    print(fmt::format("\n{} -> {}\n", is_changed ? "hierarchy with the proposed edits" : "the hierarchy as it is",
                      output_));
  }

 private:
  // Reports errors in the request before the work begins.
  void check() const {
    if (options_.recipe.classifier.empty() && !options_.recipe.parameters.empty()) {
      throw usage_error("--" + options_.recipe.parameters.begin()->first + " is a parameter of classifiers",
                        "expected --classifier C with it; clade train --list shows all");
    }
    if (!options_.recipe.classifier.empty()) check_request(options_.recipe);
    if (output_.empty()) {
      if (force_) throw usage_error("--force has no effect", "expected -o FILE with it");
      return;
    }
    const std::vector<std::string> inputs = read_.inputs({path_});
    check_output(output_, force_, inputs);
    check_taxonomy_output(output_, force_, inputs);
  }

  std::string path_;
  std::string output_;
  bool force_ = false;
  DiagnoseOptions options_;
  ReadArguments read_;
};

}  // namespace

std::unique_ptr<Command> make_diagnose_command() {
  return std::make_unique<DiagnoseCommand>();
}

}  // namespace clade::cli
