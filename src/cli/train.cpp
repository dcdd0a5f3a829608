#include <clade/conformal.h>
#include <clade/evaluate.h>
#include <clade/io.h>
#include <clade/model.h>
#include <clade/pipeline.h>
#include <clade/recipes.h>
#include <clade/split.h>
#include <clade/train.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>

#include "cli/command.h"
#include "cli/read_arguments.h"
#include "cli/share.h"
#include "cli/team_arguments.h"
#include "cli/time_span.h"
#include "cli/train_arguments.h"
#include "report/model_report.h"
#include "report/training_report.h"

namespace clade::cli {
namespace {

class TrainCommand : public Command {
 public:
  std::string_view name() const override { return "train"; }
  std::string_view help() const override { return "train a classifier over the class hierarchy"; }

  bool is_shared() const override { return true; }

  void declare(Arguments& arguments) override {
    arguments.positional("DATA", paths_, "data set to train on; several files of one format are read as one", false);
    arguments.output("-o,--output", "FILE", output_, "file for the model");
    arguments.option("--append", "MODEL", append_,
                     "continue training this perceptron or hieron model; without -o it is replaced");
    arguments.flag("--auto", auto_,
                   "cross-validate some classifiers on the data, and take the best by hierarchical F1");
    arguments.option("--budget", "TIME", budget_, "with --auto: try no more classifiers after this time [60s]");
    arguments.option("--test", "FILE", test_, "measure the model on this data set");
    arguments.option("--holdout", "SHARE", holdout_,
                     "first measure on this share of the samples, such as 20%, with a model of the others");
    arguments.option("--conformal", "WAY", conformal_, "calibrate for clade predict --coverage: cross:5 or split:20%");
    arguments.flag("--conformal-by-class", by_class_, "with --conformal: the coverage holds for every class");
    arguments.flag("--by-rows", by_rows_,
                   "every process reads its share of the rows of DATA, a file or a folder of parts, so that none needs "
                   "memory for all of it");
    arguments.flag("--list", list_, "show the classifiers with their parameters");
    arguments.flag("--force", force_, "overwrite the output if it exists");
    arguments.often("--output --holdout --test --classifier --auto --list --force");
    team_.declare(arguments);
    train_.declare(arguments);
    read_.declare(arguments);
    arguments.examples(
        "  clade train texts.jsonl -o model.clade\n"
        "  clade train train.arff --auto --budget 2min --holdout 20% -o model.clade\n"
        "  clade train train.svm --taxonomy tree.csv --classifier top-down-svm --test test.svm -o model.clade\n"
        "  clade train train.arff --classifier top-down-logistic --calibrate temperature -o model.clade\n"
        "  clade train train.arff --conformal split:20% -o model.clade\n"
        "  clade train train.arff --classifier top-down-svm --features ranking.json --top 40 -o model.clade\n"
        "  clade train train.arff --classifier top-down-svm --select hirr-fam --top 10% -o model.clade\n"
        "  clade train monday.svm --taxonomy tree.csv --classifier hierarchical-perceptron --epochs 1 -o model.clade\n"
        "  clade train train.arff valid.arff -o model.clade\n"
        "  clade train --append model.clade tuesday.svm --taxonomy tree.csv\n"
        "  mpirun -np 16 clade train parts/ --classifier top-down-logistic --by-rows --work w/ -o model.clade\n"
        "  clade train --list\n");
  }

  void run(Context& ctx, const CommonOptions& common) override {
    if (list_) return show_methods(classifiers(), common.json);
    if (paths_.empty()) throw usage_error("nothing to train on", "expected DATA");
    if (!append_.empty()) return go_on(ctx, common);
    check(ctx);
    const std::vector<std::string> parts = by_rows_ ? parts_of_data() : std::vector<std::string>();
    const ReadOptions reading = train_.reading(read_.options);
    const LoadedData loaded = timed(ctx, "reading", [&] {
      return by_rows_ ? read_by_rows(parts, reading, ctx) : read_datasets(paths_, reading, ctx);
    });
    for (const auto& note : loaded.report.notes) ctx.info(note);
    if (by_rows_) {
      team_.begin_by_rows(loaded.data, parts, train_.inputs(), common, ctx);
    } else {
      team_.begin(loaded.data, train_.inputs(), common, ctx);
    }
    TrainingReport report;
    const Recipe recipe = find_recipe(loaded, report, ctx);
    const std::vector<double> weights = train_.weights_for(loaded.data, ctx);
    if (!holdout_.empty()) {
      report.held_out = evaluate(loaded.data, recipe, split_of(loaded.data, ctx), weights, {}, ctx);
      report.held_out_from = loaded.data.samples();
    }
    // Other processes need the model only to measure it.
    const ResultsFor whom = test_.empty() ? ResultsFor::kLeader : ResultsFor::kAll;
    const Model model = timed(ctx, "training", [&] {
      return conformal_.empty() ? clade::train(loaded.data, recipe, weights, ctx, whom)
                                : train_conformal(loaded.data, recipe, conformal(), weights, ctx);
    });
    if (!leads(ctx) && test_.empty()) return;
    if (const auto info = conformal_info(model); info && info->way == ConformalOptions::Way::kSplit) {
      report.calibrating = info->samples;
    }
    write(model, force_, report, ctx, common);
  }

 private:
  // Reports errors in the request before the work begins.
  void check(Context& ctx) {
    train_.check();
    if (auto_ && (team_.is_given() || (ctx.team() != nullptr && size(*ctx.team()) > 1))) {
      throw usage_error("--auto is the work of one process", "expected --classifier where several share the work");
    }
    if (by_rows_) check_by_rows();
    if (auto_ && train_.is_given()) {
      throw usage_error("--auto together with --classifier", "expected one of them");
    }
    if (!budget_.empty()) {
      if (!auto_) throw usage_error("--budget has no effect", "expected --auto with it");
      try_options_.budget = seconds_of("--budget", budget_);
    }
    if (!holdout_.empty()) share_of("--holdout", holdout_);
    if (!test_.empty() && !std::filesystem::exists(test_)) {
      throw input_error({.file = test_}, "no such file", "expected a data set for --test");
    }
    conformal();
    if (output_.empty()) throw usage_error("nowhere to put the model", "expected -o MODEL");
    if (output_ == "-") throw usage_error("a model is not for standard output", "expected a file: -o model.clade");
    if (leads(ctx)) check_output(output_, force_, inputs());
  }

  std::vector<std::string> parts_of_data() const {
    std::vector<std::string> parts;
    for (const std::string& path : paths_) {
      const std::vector<std::string> some = data_files(path, read_.options);
      parts.insert(parts.end(), some.begin(), some.end());
    }
    return parts;
  }

  // No process can hold out samples, or try out methods, if none has the values of all.
  void check_by_rows() const {
    if (auto_ || !train_.is_given()) {
      throw usage_error("--by-rows without --classifier",
                        "expected --classifier top-down-logistic, top-down-svm or kernel-ridge");
    }
    if (!holdout_.empty() || !conformal_.empty()) {
      throw usage_error("--by-rows together with --holdout or --conformal, which hold samples out",
                        "expected --test with a data set of its own");
    }
  }

  ConformalOptions conformal() const {
    if (conformal_.empty() && by_class_) {
      throw usage_error("--conformal-by-class has no effect", "expected --conformal WAY with it");
    }
    ConformalOptions options;
    if (!conformal_.empty()) options = parse_conformal(conformal_);
    options.by_class = by_class_;
    return options;
  }

  Split split_of(const Dataset& data, Context& ctx) const {
    return train_test_split(data, share_of("--holdout", holdout_), ctx.seed());
  }

  // The recipe that the user asked for, or one that suits the data; held-out samples have no say in it.
  Recipe find_recipe(const LoadedData& loaded, TrainingReport& report, Context& ctx) const {
    const Dataset& data = loaded.data;
    const Index missing = loaded.report.missing_values;
    Recipe recipe = train_.recipe_for(data, ctx);
    if (train_.is_given()) return recipe;
    const Dataset seen = holdout_.empty() ? data : data.subset(split_of(data, ctx).train);
    if (auto_) {
      std::vector<Recipe> candidates = candidate_recipes(seen, recipe);
      for (Recipe& candidate : candidates) candidate = train_.for_gaps(std::move(candidate), missing);
      report.tried = try_recipes(seen, std::move(candidates), try_options_, ctx);
      report.reason = "the best of those tried";
      return with_probabilities(report.tried->recipes[static_cast<std::size_t>(report.tried->best)].recipe);
    }
    ChosenRecipe chosen = default_recipe(seen, recipe);
    report.reason = chosen.reason;
    ctx.info(with_flags(fmt::format("no --classifier given: {}, because of the data ({}); --auto tries several",
                                    recipe_text(chosen.recipe), chosen.reason)));
    return train_.for_gaps(std::move(chosen.recipe), missing);
  }

  void write(const Model& model, bool overwrite, TrainingReport& report, Context& ctx, const CommonOptions& common) {
    if (leads(ctx)) timed(ctx, "writing", [&] { write_model(model, output_, overwrite); });
    if (!test_.empty()) measure(model, report, ctx);
    if (!leads(ctx)) return;
    std::error_code no_file;  // /dev/null has no size
    const auto size = std::filesystem::file_size(output_, no_file);
    const auto bytes = no_file ? Index{0} : static_cast<Index>(size);
    if (common.json) return print_json(training_json(model, bytes, report));
    print(fmt::format("{}{}{}model -> {}\n", report.tried ? with_flags(tried_text(*report.tried)) : "",
                      model_text(model, fmt::format("{}", fmt::join(paths_, " + ")), bytes), training_text(report),
                      output_));
  }

  void measure(const Model& model, TrainingReport& report, Context& ctx) const {
    const LoadedData loaded = read_dataset(test_, reading_for(model, read_.options), ctx);
    for (const auto& note : loaded.report.notes) ctx.info(note);
    if (ctx.team() != nullptr && size(*ctx.team()) > 1) {
      require_same(*ctx.team(), test_, fingerprint(loaded.data, ctx));
    }
    report.test_name = test_;
    report.test = evaluate(model, loaded.data, {.node_measures = NodeMeasures::kNo}, ctx);
    for (const auto& note : with_flags(report.test->notes)) ctx.info(note);
  }

  void go_on(Context& ctx, const CommonOptions& common) {
    train_.check_append();
    if (by_rows_) {
      throw usage_error("--by-rows does not concern --append", "expected data that every process reads as a whole");
    }
    if (!conformal_.empty() || by_class_) {
      throw usage_error("--conformal does not concern --append", "expected a model that is trained at once");
    }
    if (auto_ || !holdout_.empty()) {
      throw usage_error("--auto and --holdout do not concern --append", "expected the model alone, or --test with it");
    }
    const Model model = read_model(append_);
    const bool replaces = output_.empty();
    if (replaces) output_ = append_;
    if (leads(ctx)) check_output(output_, force_ || replaces, inputs());
    const LoadedData loaded =
        timed(ctx, "reading", [&] { return read_datasets(paths_, reading_for(model, read_.options), ctx); });
    for (const auto& note : loaded.report.notes) ctx.info(note);
    team_.begin(loaded.data, {append_}, common, ctx);
    const Model next = timed(ctx, "training", [&] {
      return continue_training(model, loaded.data, train_.parameters(), train_.weights_for(loaded.data, ctx), ctx);
    });
    TrainingReport report;
    write(next, force_ || replaces, report, ctx, common);
  }

  std::vector<std::string> inputs() const {
    std::vector<std::string> files = read_.inputs({test_});
    files.insert(files.end(), paths_.begin(), paths_.end());
    for (std::string& file : train_.inputs()) files.push_back(std::move(file));
    return files;
  }

  std::vector<std::string> paths_;
  std::string append_;
  std::string output_;
  std::string budget_;
  std::string test_;
  std::string holdout_;
  std::string conformal_;
  TryOptions try_options_;
  bool by_class_ = false;
  bool by_rows_ = false;
  bool auto_ = false;
  bool list_ = false;
  bool force_ = false;
  TeamArguments team_;
  TrainArguments train_;
  ReadArguments read_;
};

}  // namespace

std::unique_ptr<Command> make_train_command() {
  return std::make_unique<TrainCommand>();
}

}  // namespace clade::cli
